// Reads server-sent events from a response, which EventSource cannot do with a key in a header.

/** What one block of the stream says. */
export interface StreamEvent {
  /** The type of an event, or `end`. */
  type: string;
  data: unknown;
}

/** The events as they arrive. Stopping early closes the connection. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent, void, undefined> {
  const [reader, decoder] = [body.getReader(), new TextDecoder()];
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        return;
      }
      text += decoder.decode(value, { stream: true });
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const event = parse(block);
        if (event) {
          yield event;
        }
      }
    }
  } finally {
    // It may have failed already.
    await reader.cancel().catch(() => {});
  }
}

/** Nothing for a block without data: it keeps the connection open. */
function parse(block: string): StreamEvent | undefined {
  const field = (name: string) => {
    const lines = block.split("\n").filter((line) => line.startsWith(`${name}: `));
    return lines.map((line) => line.slice(name.length + 2)).join("\n");
  };
  const data = field("data");
  return data === "" ? undefined : { type: field("event"), data: JSON.parse(data) };
}
