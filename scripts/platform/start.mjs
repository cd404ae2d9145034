/**
 * npm start: everything a fresh clone lacks, then the whole platform in the foreground. The work lives in
 * packages/devkit. npm start -- --observe: Prometheus too, with the rules of observe/. npm start -- --sample: the demo
 * tenant with a day of payments, webhooks and people.
 */
import { bootstrap, run } from '../bootstrap.mjs'

await run(async () => {
  await bootstrap()
  const { start } = await import('../../packages/devkit/dist/platform/start.js')
  return start(process.argv.slice(2))
})
