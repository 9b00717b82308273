# Builds on the Swift image and runs on plain Debian: the Swift runtime is linked into the binary,
# and the C libraries come from Debian.
#
# Pin the images by digest where builds must be repeatable:
# make image IMAGE_FLAGS='--build-arg DEBIAN_IMAGE=debian@sha256:…'
ARG SWIFT_IMAGE=docker.io/library/swift:6.3-bookworm
ARG DEBIAN_IMAGE=docker.io/library/debian:12-slim

FROM ${SWIFT_IMAGE} AS build
RUN apt-get update -q \
 && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends \
    libmicrohttpd-dev libsqlite3-dev libpq-dev libsodium-dev libidn2-dev libpsl-dev libqrencode-dev libcsv-dev libexpat1-dev zlib1g-dev nlohmann-json3-dev \
    libtomlplusplus-dev libcurl4-openssl-dev libsystemd-dev libgnutls28-dev \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY Package.swift VERSION ./
COPY Sources Sources
COPY Tests Tests
COPY migrations migrations
COPY Config/example Config/example
RUN swift build -c release --product aasa --static-swift-stdlib -Xswiftc -gnone -Xlinker -s
# What is linked into the program, for the list of its parts (SBOM).
RUN dpkg-query -W -f '${Package}\t${Version}\n' libtomlplusplus-dev nlohmann-json3-dev > /src/linked \
 && swift --version 2>&1 | sed -nE 's/.*Swift version ([0-9.]+).*/swift\t\1/p' | head -n 1 >> /src/linked

FROM ${DEBIAN_IMAGE}
LABEL org.opencontainers.image.title="aasa" \
      org.opencontainers.image.description="Server for the files that tie apps to domains" \
      org.opencontainers.image.licenses="Apache-2.0"
RUN apt-get update -q \
 && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends \
    libmicrohttpd12 libsqlite3-0 libpq5 libsodium23 libidn2-0 libpsl5 libqrencode4 libcsv3 libexpat1 zlib1g libcurl4 libsystemd0 libgnutls30 \
    ca-certificates libstdc++6 curl \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/*-old /var/lib/dpkg/*-old /var/log/* \
 && useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin aasa \
 && install -d -o aasa -g aasa /data
COPY --from=build /src/.build/release/aasa /usr/local/bin/aasa
COPY --from=build /src/linked /usr/share/doc/aasa/linked
# A numeric user, so that Kubernetes can verify that it is not root.
USER 10001:10001
# The only writable directory: run with --read-only and mount a volume here.
VOLUME /data
ENV AASA_DATABASE=/data/aasa.db \
    AASA_PUBLIC_ADDRESS=0.0.0.0:8080 \
    AASA_ADMIN_ADDRESS=127.0.0.1:8081 \
    LIBDISPATCH_LOG=NO
EXPOSE 8080
# Podman drops this unless it builds with --format docker.
HEALTHCHECK --interval=10s --timeout=2s --start-period=5s \
  CMD ["curl", "-fsS", "-o", "/dev/null", "http://127.0.0.1:8081/readyz"]
ENTRYPOINT ["/usr/local/bin/aasa"]
CMD ["serve"]
