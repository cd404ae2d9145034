/**
 * node scripts/texts/client.mjs: writes the types of packages/client. scripts/bootstrap.mjs runs it when they are
 * stale.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { clientFiles } from '../../packages/client/generate/client-files.mjs'
import { contracts } from '../../packages/contracts/src/edges/contracts.ts'
import { openApiDocument } from '../../packages/contracts/src/openapi/document.ts'

const directory = join(import.meta.dirname, '..', '..', 'packages', 'client', 'src', 'generated')
rmSync(directory, { recursive: true, force: true })
mkdirSync(directory)
for (const [name, text] of Object.entries(await clientFiles(openApiDocument(contracts)))) {
  writeFileSync(join(directory, name), text)
}
