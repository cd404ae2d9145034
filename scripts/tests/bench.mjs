/**
 * npm run bench NAME [-- options]: runs bench/NAME.ts, compiled, on PostgreSQL and RabbitMQ servers that are
 * durable, as in production.
 */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { bootstrap, root, run } from '../bootstrap.mjs'

await run(async () => {
  const [name = '', ...args] = process.argv.slice(2)
  const isName = (candidate) => /^[a-z]+(-[a-z]+)*$/.test(candidate)
  if (!isName(name) || !existsSync(join(root, 'bench', `${name}.ts`))) {
    const files = readdirSync(join(root, 'bench')).filter((file) => file.endsWith('.ts'))
    const names = files.map((file) => file.slice(0, -'.ts'.length)).filter(isName)
    console.error(`Usage: npm run bench NAME [-- options]. NAME is one of: ${names.join(', ')}`)
    return 2
  }
  await bootstrap()
  const { onBenchServers } = await import('../../packages/devkit/dist/tests/test-run.js')
  return onBenchServers(`npm run bench ${name}`, (servers) => {
    const env = { ...process.env, TEST_DATABASE_URL: servers.databaseUrl, TEST_AMQP_URL: servers.amqpUrl }
    const file = join(root, 'bench', 'dist', `${name}.js`)
    const bench = spawn(process.execPath, ['--enable-source-maps', file, ...args], { env, stdio: 'inherit' })
    return new Promise((resolve) => bench.once('exit', (code) => resolve(code ?? 1)))
  })
})
