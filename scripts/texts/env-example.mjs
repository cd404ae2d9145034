/**
 * node scripts/texts/env-example.mjs: writes .env.example from the configuration schemas. A test fails while it is out
 * of date.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bootstrap, root, run } from '../bootstrap.mjs'
import { environments } from './environments.mjs'

await run(async () => {
  await bootstrap()
  const { describeEnvironment } = await import('../../packages/chassis/dist/base/config.js')
  const schemas = {}
  for (const [name, folder, exported] of environments) {
    schemas[name] = (await import(join(root, folder, 'dist', 'config.js')))[exported]
  }
  writeFileSync(join(root, '.env.example'), describeEnvironment(schemas))
})
