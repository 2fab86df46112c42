# syntax=docker/dockerfile:1
# The image of the service. It runs as an unprivileged user and writes to /var/lib/rollcall only, so that its root file system may
# be read-only: docker run --read-only --volume rollcall:/var/lib/rollcall --publish 8080:8080 \
#   --env ROLLCALL_PUBLIC_URL=http://localhost:8080 rollcall

FROM node:20-bookworm-slim AS node

FROM rust:1.95-bookworm AS build
# build.rs bundles the scripts and styles of the pages.
COPY --from=node /usr/local/bin/node /usr/local/bin/node
COPY --from=node /usr/local/lib/node_modules /usr/local/lib/node_modules
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry --mount=type=cache,target=/src/target \
    cargo build --release --locked --bin rollcall && install -D target/release/rollcall /out/rollcall

FROM debian:bookworm-slim
# curl is for the health check. Root certificates are in the program.
RUN apt-get update && apt-get install -y --no-install-recommends curl && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --user-group --home-dir /var/lib/rollcall --shell /usr/sbin/nologin rollcall \
    && install -d -m 700 -o rollcall -g rollcall /var/lib/rollcall
COPY --from=build /out/rollcall /usr/bin/rollcall
COPY LICENSE LICENSE-APACHE LICENSE-MIT LICENSE-UNIFONT /usr/share/doc/rollcall/
ENV ROLLCALL_DATA=/var/lib/rollcall ROLLCALL_LISTEN=0.0.0.0:8080
USER rollcall
WORKDIR /var/lib/rollcall
VOLUME /var/lib/rollcall
EXPOSE 8080
# Whether the process answers. A load balancer asks /readyz instead, which also needs the database.
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
    CMD ["curl", "--fail", "--silent", "--show-error", "--output", "/dev/null", "http://127.0.0.1:8080/healthz"]
ENTRYPOINT ["/usr/bin/rollcall"]
CMD ["serve"]
