/** node scripts/openapi.mjs: writes the OpenAPI document from the contracts. A test fails while it is out of date. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bootstrap, root, run } from './bootstrap.mjs'

await run(async () => {
  await bootstrap({ only: 'packages/contracts' })
  const { contracts } = await import('../packages/contracts/dist/all.js')
  const { openApiDocument } = await import('../packages/contracts/dist/openapi.js')
  const file = join(root, 'packages', 'contracts', 'openapi', 'payment-service.json')
  writeFileSync(file, `${JSON.stringify(openApiDocument(contracts), null, 2)}\n`)
  return 0
})
