/** node scripts/client.mjs: writes the types of packages/client. A test fails while one is out of date. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bootstrap, root, run } from './bootstrap.mjs'

await run(async () => {
  await bootstrap({ only: 'packages/contracts' })
  const { contracts } = await import('../packages/contracts/dist/edges/contracts.js')
  const { openApiDocument } = await import('../packages/contracts/dist/openapi/document.js')
  const { clientFiles } = await import('../packages/client/generate/client-files.mjs')
  const directory = join(root, 'packages', 'client', 'src', 'generated')
  mkdirSync(directory, { recursive: true })
  for (const file of readdirSync(directory)) rmSync(join(directory, file))
  for (const [name, text] of Object.entries(await clientFiles(openApiDocument(contracts)))) {
    writeFileSync(join(directory, name), text)
  }
  return 0
})
