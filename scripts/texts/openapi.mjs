/** node scripts/texts/openapi.mjs: writes one OpenAPI document per service. A test fails while one is out of date. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bootstrap, root, run } from '../bootstrap.mjs'

await run(async () => {
  await bootstrap({ only: 'packages/contracts' })
  const { contracts } = await import('../../packages/contracts/dist/edges/contracts.js')
  const { openApiDocument } = await import('../../packages/contracts/dist/openapi/document.js')
  const { formatDocument } = await import('../../packages/contracts/dist/openapi/format.js')
  const directory = join(root, 'packages', 'contracts', 'openapi')
  for (const file of readdirSync(directory)) rmSync(join(directory, file))
  for (const contract of contracts) {
    writeFileSync(join(directory, `${contract.service}.json`), formatDocument(openApiDocument([contract])))
  }
  return 0
})
