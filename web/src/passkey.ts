// <rc-passkey for="register|sign-in">: asks the authenticator before its form is sent, and puts the answer into the form. Shown
// only where the browser can do it.
import { text } from "./translations";

interface Options {
  challenge: string;
  rpId: string;
  user: { id: string; name: string; displayName: string } | null;
  known: string[];
  algorithms: number[];
  timeout: number;
}

function decode(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
}

function encode(bytes: ArrayBuffer): string {
  const binary = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

class Passkey extends HTMLElement {
  connectedCallback(): void {
    const form = this.querySelector("form");
    if (form && window.PublicKeyCredential) {
      this.hidden = false;
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        void this.#ask(form);
      });
    }
  }

  async #ask(form: HTMLFormElement): Promise<void> {
    const button = form.querySelector("button");
    const set = (name: string, value: string): void => {
      const field = form.elements.namedItem(name);
      if (field instanceof HTMLInputElement) {
        field.value = value;
      }
    };
    button?.toggleAttribute("disabled", true);
    try {
      const token = form.elements.namedItem("token");
      const body = new URLSearchParams({ token: token instanceof HTMLInputElement ? token.value : "", for: this.getAttribute("for") ?? "" });
      const response = await fetch("/passkeys/challenge", { method: "POST", body });
      const options: Options = await response.json();
      const known = options.known.map((id) => ({ type: "public-key" as const, id: decode(id) }));
      const { challenge, timeout } = { challenge: decode(options.challenge), timeout: options.timeout };
      if (this.getAttribute("for") === "register" && options.user) {
        const created = (await navigator.credentials.create({
          publicKey: {
            challenge,
            timeout,
            rp: { id: options.rpId, name: "Rollcall" },
            user: { ...options.user, id: decode(options.user.id) },
            pubKeyCredParams: options.algorithms.map((alg) => ({ type: "public-key", alg })),
            excludeCredentials: known,
            authenticatorSelection: { residentKey: "required", userVerification: "preferred" },
            attestation: "none",
          },
        })) as PublicKeyCredential;
        const answer = created.response as AuthenticatorAttestationResponse;
        set("client", encode(answer.clientDataJSON));
        set("attestation", encode(answer.attestationObject));
      } else {
        const used = (await navigator.credentials.get({
          publicKey: { challenge, timeout, rpId: options.rpId, allowCredentials: known, userVerification: "preferred" },
        })) as PublicKeyCredential;
        const answer = used.response as AuthenticatorAssertionResponse;
        set("credential", encode(used.rawId));
        set("client", encode(answer.clientDataJSON));
        set("data", encode(answer.authenticatorData));
        set("signature", encode(answer.signature));
      }
      form.submit();
    } catch {
      // Cancelled, timed out, or the page is out of date.
      this.#tell();
      button?.toggleAttribute("disabled", false);
    }
  }

  #tell(): void {
    const notice = this.querySelector("output") ?? this.appendChild(document.createElement("output"));
    notice.className = "notice warn";
    notice.textContent = text.passkeyFailed;
  }
}

customElements.define("rc-passkey", Passkey);
