/**
 * What the gateway holds when it has seen many keys: its resident memory after each key was used once.
 *
 *   pnpm bench memory [--keys 100000] [--tenants 100000] [--connections 50]
 *
 * The gateway is the real one, in the real constellation. Keys are not made by the hundred thousand: where api-key and rbac would be,
 * something stands that knows every key, each of a tenant and with a role of its own by default, which is the most there is to remember.
 * The service behind answers at once. The resident set is the kernel's figure; nothing is collected for the occasion.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Agent, createServer, request } from 'node:http'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { base62, checksumOf, keyHandle } from '@payments/contracts/key-value'
import { permissionNames } from '@payments/contracts/permission'
import { constellation } from '@payments/testing/constellation'

const { values } = parseArgs({
  options: {
    keys: { type: 'string', default: '100000' },
    tenants: { type: 'string', default: '100000' },
    connections: { type: 'string', default: '50' },
  },
})
const [keysMax, tenantsMax, connections] = [values.keys, values.tenants, values.connections].map(Number)
const rssMbMax = 300
const path = '/v1/payment-proxy/transactions'
const reading = permissionNames.filter((name) => /:Read/.test(name))

const keyOf = (number) => {
  const covered = `psk_dev_${base62(BigInt(number) + 2n ** 200n, 43)}`
  return covered + checksumOf(covered)
}
const uuidOf = (kind, number) => {
  const digits = createHash('sha256').update(`${kind} ${number}`).digest('hex')
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-7$3-8$4-$5')
}
const tenantOf = (number) => uuidOf('tenant', number % tenantsMax)
const numbers = new Map(Array.from({ length: keysMax }, (_, number) => [keyHandle(keyOf(number)), number]))

const owners = createServer({ keepAliveTimeout: 100_000 }, async (call, response) => {
  const answer = answerTo(call.url, await bodyOf(call))
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer))
})
const port = await new Promise((resolve) => owners.listen(0, '127.0.0.1', () => resolve(owners.address().port)))
const url = `http://127.0.0.1:${port}`
const lifted = '1000000000'
const world = await constellation({
  env: {
    API_KEY_URL: url,
    RBAC_URL: url,
    PAYMENT_PROXY_URL: url,
    REQUESTS_PER_SECOND_PER_KEY: lifted,
    REQUESTS_PER_SECOND_PER_TENANT: lifted,
  },
})
try {
  console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0].model}; ${tenantsMax} tenants`)
  let held = tell('started')
  const stages = [0, 0.01, 0.1, 0.25, 0.5, 1].map((share) => Math.floor(keysMax * share))
  for (const [number, to] of stages.slice(1).entries()) {
    await useKeys(stages[number], to)
    held = tell(`${to} keys seen`)
  }
  if (held > rssMbMax) {
    console.log(`The gateway holds more than ${rssMbMax} MB.`)
    process.exitCode = 1
  }
} finally {
  await world.stop()
}
process.exit()

async function bodyOf(call) {
  let text = ''
  for await (const chunk of call.setEncoding('utf8')) text += chunk
  return text === '' ? undefined : JSON.parse(text)
}

function answerTo(target, body) {
  if (target.startsWith('/internal/authorization-epoch'))
    return { incarnation: 'one', epoch: 1, invalidated: target.includes('since') ? [] : null }
  if (target === '/internal/keys/identify') return { key: identity(numbers.get(body.handle)) }
  if (target === '/internal/keys/uses') return { recorded: body.uses.length }
  if (target.endsWith('/resolve-roles')) {
    const roles = body.role_ids.map((id) => ({ id, name: 'viewer', permissions: reading }))
    return { tenant_status: 'active', roles, permissions: reading, unknown: [] }
  }
  return { data: [], next_cursor: null }
}

function identity(number) {
  return {
    api_key_id: uuidOf('key', number),
    tenant_id: tenantOf(number),
    value: 'current',
    enabled: true,
    expires_at: null,
    role_ids: [uuidOf('role', number % tenantsMax)],
    allowed_cidrs: null,
  }
}

async function useKeys(from, to) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  let next = from
  const worker = async () => {
    while (next < to) await use(agent, next++)
  }
  await Promise.all(Array.from({ length: connections }, worker))
  agent.destroy()
}

function use(agent, number) {
  const headers = {
    Authorization: `Bearer ${keyOf(number)}`,
    'Tenant-ID': tenantOf(number),
    'Trace-ID': uuidOf('trace', number),
  }
  return new Promise((resolve, reject) => {
    const call = request(world.gatewayUrl + path, { headers, agent, timeout: 30_000 }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`key ${number} was answered ${response.statusCode}`))
      response.resume().on('end', resolve)
    })
    call.on('timeout', () => call.destroy(new Error('no answer')))
    call.on('error', reject).end()
  })
}

/** The resident set in MB, printed. */
function tell(when) {
  const status = readFileSync(`/proc/${world.pid('gateway')}/status`, 'utf8')
  const mb = (name) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)[1]) / 1024)
  console.log(`${when}: RSS ${mb('VmRSS')} MB, at most ${mb('VmHWM')} MB so far`)
  return mb('VmRSS')
}
