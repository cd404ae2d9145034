# One image per process: docker build --build-arg SERVICE=services/rbac .
# SERVICE: gateway, services/<name>, packages/payctl. The dispatcher is the webhooks image with `dist/dispatcher.js`.
# The migration Job: --target migrate, run as `dist/migrations/migrate-main.js <service>`.
# A release passes both base images by digest: --build-arg BUILD_IMAGE=node@sha256:… --build-arg RUNTIME_IMAGE=….
# The gateway also has the chunks of the console of the release that it replaces: --build-arg PREVIOUS_GATEWAY=IMAGE.
ARG BUILD_IMAGE=node:24-bookworm-slim
ARG RUNTIME_IMAGE=gcr.io/distroless/nodejs24-debian12:nonroot
ARG PREVIOUS_GATEWAY=no-gateway

FROM scratch AS no-gateway
WORKDIR /app

FROM ${PREVIOUS_GATEWAY} AS previous-gateway

FROM ${BUILD_IMAGE} AS build
WORKDIR /source
RUN npm install --global pnpm@12.21.0
COPY pnpm-lock.yaml pnpm-workspace.yaml ./
RUN pnpm fetch
COPY . .
RUN pnpm install --frozen-lockfile --offline
RUN node scripts/texts/generate.mjs
RUN pnpm exec tsc -b --checkers 1

FROM build AS pruned
ARG SERVICE
COPY --from=previous-gateway /app /previous
RUN node scripts/release/previous-chunks.mjs /previous packages/console/dist
# Without the query compilers of Prisma for other databases.
RUN pnpm --filter "./${SERVICE}" deploy --prod --legacy /app && mkdir /empty \
 && find /app -name 'query_compiler_*' ! -name '*.postgresql.*' -delete

FROM build AS pruned-migrate
RUN pnpm --filter ./packages/devkit deploy --prod --legacy /app/packages/devkit \
 && for service in services/*; do mkdir -p "/app/$service" && cp -r "$service/prisma" "/app/$service/"; done

FROM ${RUNTIME_IMAGE} AS migrate
ENV NODE_ENV=production
WORKDIR /app/packages/devkit
COPY --from=pruned-migrate /app /app
ENTRYPOINT ["/nodejs/bin/node", "dist/migrations/migrate-main.js"]

FROM ${RUNTIME_IMAGE}
ENV NODE_ENV=production
WORKDIR /app
COPY --from=pruned /app /app
# A new volume gets the owner of the directory it is mounted on.
COPY --from=pruned --chown=65532:65532 /empty /var/lib/audit
COPY --from=pruned --chown=65532:65532 /empty /var/lib/checkpoints
CMD ["--enable-source-maps", "--max-semi-space-size=64", "--max-old-space-size=256", "dist/main.js"]
