# Builds on the Swift image and runs on plain Debian: the Swift runtime is linked into the binary,
# and the C libraries come from Debian.
FROM swift:6.3-bookworm AS build
RUN apt-get update -q \
 && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends \
    libmicrohttpd-dev libsqlite3-dev libsodium-dev libidn2-dev nlohmann-json3-dev \
    libtomlplusplus-dev libcurl4-openssl-dev libsystemd-dev libgnutls28-dev \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY Package.swift ./
COPY Sources Sources
COPY Tests Tests
COPY migrations migrations
RUN swift build -c release --product aasa --static-swift-stdlib -Xlinker -s

FROM debian:12-slim
RUN apt-get update -q \
 && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends \
    libmicrohttpd12 libsqlite3-0 libsodium23 libidn2-0 libcurl4 libsystemd0 libgnutls30 ca-certificates \
    libstdc++6 curl \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin aasa \
 && install -d -o aasa -g aasa /data
COPY --from=build /src/.build/release/aasa /usr/local/bin/aasa
# A numeric user, so that Kubernetes can verify that it is not root.
USER 10001:10001
# The only writable directory: run with --read-only and mount a volume here.
VOLUME /data
ENV AASA_DATABASE=/data/aasa.db \
    AASA_PUBLIC_ADDRESS=0.0.0.0:8080 \
    AASA_ADMIN_ADDRESS=127.0.0.1:8081
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=2s --start-period=5s \
  CMD ["curl", "-fsS", "-o", "/dev/null", "http://127.0.0.1:8081/readyz"]
ENTRYPOINT ["/usr/local/bin/aasa"]
CMD ["serve"]
