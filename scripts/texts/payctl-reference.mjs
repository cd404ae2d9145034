/**
 * node scripts/texts/payctl-reference.mjs: writes the reference of all commands into docs/payctl.md. A test compares.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bootstrap, root, run } from '../bootstrap.mjs'

await run(async () => {
  await bootstrap()
  const { createProgram } = await import('../../packages/payctl/dist/payctl.js')
  const { withReference } = await import('../../packages/payctl/dist/reference.js')
  const file = join(root, 'docs', 'payctl.md')
  writeFileSync(file, withReference(readFileSync(file, 'utf8'), createProgram()))
})
