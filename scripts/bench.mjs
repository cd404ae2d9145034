/**
 * pnpm bench NAME [options]: one of bench/*.mjs, on servers provisioned as for tests, and on compiled packages.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { bootstrap, root, run } from './bootstrap.mjs'

await run(async () => {
  const [name = '', ...args] = process.argv.slice(2)
  const file = join(root, 'bench', `${name}.mjs`)
  // A name with a hyphen is a part of a bench, such as its load.
  if (!/^[a-z]+$/.test(name) || !existsSync(file)) {
    console.error('Usage: pnpm bench NAME [options], NAME being one of those in bench/ without a hyphen')
    return 2
  }
  await bootstrap()
  const { onTestServers } = await import('../packages/devkit/dist/test-run.js')
  return onTestServers(`pnpm bench ${name}`, (servers) => {
    const env = { ...process.env, TEST_DATABASE_URL: servers.databaseUrl, TEST_AMQP_URL: servers.amqpUrl }
    const bench = spawn(process.execPath, [file, ...args], { env, stdio: 'inherit' })
    return new Promise((resolve) => bench.once('exit', (code) => resolve(code ?? 1)))
  })
})
