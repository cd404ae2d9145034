/**
 * npm run openapi:fuzz [-- --seconds N] [--seed N] [--valid-data] [-- schemathesis options]: starts a local stack and
 * lets schemathesis, which knows the OpenAPI document only, send it requests. A finding of a check of conformance is
 * the exit code 1. `--valid-data` also reports valid data that the API refuses: docs/openapi-fuzz.md lists the rules
 * that no schema states. Needs python3 with venv; the environment is below .data.
 */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bootstrap, root, run } from '../bootstrap.mjs'

const version = '4.32.5'
const directory = join(root, '.data', 'schemathesis')
const secondsDefault = 300
const installMsMax = 300_000
/** schemathesis ends its phases before the first limit; the second one ends a process that does not. */
const graceSeconds = 300

/** Text of the API has no NUL. A 431 or 408 rejects data too. */
const settings = `[generation]
allow-x00 = false
codec = "utf-8"

[checks]
negative_data_rejection.expected-statuses = [400, 401, 403, 404, 405, 408, 409, 413, 415, 422, 429, 431, "5xx"]
`

const unlimited = '1000000000'
const unlimitedRates = {
  REQUESTS_PER_SECOND_PER_KEY: unlimited,
  REQUEST_BURST_PER_KEY: unlimited,
  REQUESTS_PER_SECOND_PER_TENANT: unlimited,
  REQUEST_BURST_PER_TENANT: unlimited,
}

await run(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seconds: { type: 'string', default: String(secondsDefault) },
      seed: { type: 'string' },
      'valid-data': { type: 'boolean', default: false },
    },
  })
  const seconds = Number(values.seconds)
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > 3_600) {
    console.error('--seconds must be an integer from 1 to 3600')
    return 2
  }
  const { seed } = values
  if (seed !== undefined && !/^\d{1,39}$/.test(seed)) {
    console.error('--seed must be the seed that an earlier run printed')
    return 2
  }
  const more = [...(seed === undefined ? [] : ['--seed', seed]), ...positionals]
  const program = schemathesis()
  await bootstrap()
  const { onTestServers } = await import('../../packages/devkit/dist/tests/test-run.js')
  return onTestServers('npm run openapi:fuzz', async (servers) => {
    process.env['TEST_DATABASE_URL'] = servers.databaseUrl
    process.env['TEST_AMQP_URL'] = servers.amqpUrl
    const { startTestStack } = await import('../../packages/testing/dist/platform/local-stack.js')
    const stack = await startTestStack({ env: unlimitedRates })
    try {
      const target = await createTarget(stack)
      return await fuzz(program, target, { seconds, validData: values['valid-data'], more })
    } finally {
      await stack.stop()
    }
  })
})

/** Installs schemathesis from PyPI once. Returns its program. */
function schemathesis() {
  const program = join(directory, version, 'bin', 'schemathesis')
  if (existsSync(program)) return program
  const options = { stdio: ['ignore', 'ignore', 'inherit'], timeout: installMsMax }
  mkdirSync(directory, { recursive: true })
  execFileSync('python3', ['-m', 'venv', join(directory, version)], options)
  const pip = join(directory, version, 'bin', 'pip')
  execFileSync(pip, ['install', '--quiet', '--no-input', `schemathesis==${version}`], options)
  return program
}

/** A tenant with a JWT of its administrator: unlike an API key, requests cannot take the JWT from itself. */
async function createTarget(stack) {
  const made = await stack.payctl('tenant', 'create', '--name', 'Fuzz', '--json', '--show-key')
  if (made.code !== 0) throw new Error(made.output)
  const { tenant_id: tenantId } = JSON.parse(made.stdout)
  const token = await stack.payctl('token', '--tenant', tenantId, '--role', 'admin', '--ttl', '7200')
  if (token.code !== 0) throw new Error(token.output)
  return { gatewayUrl: stack.gatewayUrl, tenantId, token: token.stdout.trim() }
}

/** Resolves with the exit code. */
function fuzz(program, { gatewayUrl, tenantId, token }, { seconds, validData, more }) {
  const config = join(directory, 'schemathesis.toml')
  writeFileSync(config, settings)
  const options = [
    ...['--config-file', config, 'run', `${gatewayUrl}/v1/openapi.json`],
    ...['--header', `Authorization: Bearer ${token}`, '--header', `Tenant-ID: ${tenantId}`],
    ...['--max-time', String(seconds), '--max-examples', '50', '--workers', '1', '--request-timeout', '60'],
    // One worker: in two threads, Python 3.11 fails at times (github.com/python/cpython/issues/106905).
    ...['--continue-on-failure', '--generation-database', 'none', '--suppress-health-check', 'all'],
    ...(validData ? [] : ['--exclude-checks', 'positive_data_acceptance']),
    ...more,
  ]
  const child = spawn(program, options, { cwd: directory, stdio: 'inherit', env: { ...process.env, COLUMNS: '120' } })
  const timer = setTimeout(() => child.kill('SIGTERM'), (seconds + graceSeconds) * 1_000)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => {
      clearTimeout(timer)
      resolve(code ?? 1)
    })
  })
}
