# The image of a release. Built by `docker build -t voltkeep:1.0.0 .`, run by deploy/compose.yaml.
FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY . .
RUN npm ci --include=optional --no-audit --no-fund
RUN node_modules/.bin/node scripts/release.mjs --tree /out

FROM debian:bookworm-slim
LABEL org.opencontainers.image.title="Voltkeep" org.opencontainers.image.licenses="Apache-2.0"
RUN groupadd --gid 10001 voltkeep && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin voltkeep
RUN install -d -m 0700 -o 10001 -g 10001 /data /backup
COPY --from=build /out /opt/voltkeep
ENV DATA_DIR=/data
VOLUME ["/data"]
EXPOSE 8080 8443 1883 8883
USER 10001:10001
WORKDIR /data
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=120s --retries=4 CMD ["/opt/voltkeep/node/bin/node", "/opt/voltkeep/scripts/alive.mjs"]
ENTRYPOINT ["/opt/voltkeep/bin/voltkeep"]
