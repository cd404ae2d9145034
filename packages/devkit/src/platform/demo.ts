/**
 * The demo tenant: payctl onboards it once; `demo.json` stores its ids and its first key. Its business unit has a
 * branding, so that its pages and messages look like a merchant's.
 */
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseJson } from '@payments/contracts/grammar/json'
import { compileCache, type Environment, root } from '../machine/profile.ts'
import { writePrivately } from '../machine/secrets.ts'
import { UserError } from '../machine/user-error.ts'
import { runToEnd } from '../processes/process-group.ts'

export interface Demo {
  readonly tenant_id: string
  readonly business_unit_id: string
  /** Null while the unit has no default. */
  readonly payment_orchestrator_id: string | null
  readonly api_key: { readonly id: string; readonly value: string }
}

const payctlTimeoutMs = 30_000
const checkTimeoutMs = 10_000
const merchant = 'Juniper Coffee'
const branding = { display_name: merchant, primary_color: '#2f5d50', support_email: 'help@juniper.example' }

/** Returns the stored tenant while the gateway accepts its key, with an active unit; otherwise a new tenant. */
export async function ensureDemo(directory: string, gatewayUrl: string, payctlEnv: Environment): Promise<Demo> {
  const file = join(directory, 'demo.json')
  if (existsSync(file)) {
    const stored = JSON.parse(readFileSync(file, 'utf8')) as Demo
    if (await opens(gatewayUrl, stored)) {
      const demo = await withUnit(file, stored, payctlEnv)
      const { body } = await callAsDemo(gatewayUrl, demo, 'GET', unitPath(demo))
      const isDeleted = body.status === 'deleted'
      const other = { ...stored, business_unit_id: randomUUID() }
      return ensureBranding(gatewayUrl, isDeleted ? await withUnit(file, other, payctlEnv) : demo)
    }
  }
  const args = ['tenant', 'create', '--name', merchant, '--json', '--show-key']
  const { code, stdout, output } = await payctl(args, payctlEnv)
  if (code !== 0) throw new UserError(`The demo tenant could not be onboarded:\n${output.trim()}`)
  const made = JSON.parse(stdout) as Demo
  writePrivately(file, `${JSON.stringify(made, null, 2)}\n`)
  return ensureBranding(gatewayUrl, made)
}

const unitPath = (demo: Demo) => `/v1/business-unit/business-units/${demo.business_unit_id}`

/** Sets the branding of its unit, unless the unit has a name for payers. */
async function ensureBranding(gatewayUrl: string, demo: Demo): Promise<Demo> {
  const path = unitPath(demo)
  const unit = await callAsDemo(gatewayUrl, demo, 'GET', path)
  const isBare = unit.body.status === 'active' && unit.body.branding.display_name === null
  const replies = [unit, ...(isBare ? [await callAsDemo(gatewayUrl, demo, 'PATCH', path, { branding })] : [])]
  for (const { status, body } of replies) if (status !== 200) throw toUserError(status, body)
  return demo
}

/**
 * A request with the API key of the demo tenant. `body` is read as a tenant's script would read it; a text that is no
 * JSON is itself.
 */
export async function callAsDemo(
  gatewayUrl: string,
  demo: Demo,
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  body?: object,
): Promise<{ readonly status: number; readonly body: any }> {
  const response = await fetch(gatewayUrl + path, {
    method,
    headers: { ...buildHeaders(demo), 'Trace-ID': randomUUID(), 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(checkTimeoutMs),
  })
  const text = await response.text()
  return { status: response.status, body: parseJson(text) ?? text }
}

/** Creates the unit of the given id, unless the tenant has it. */
async function withUnit(file: string, stored: Demo, payctlEnv: Environment): Promise<Demo> {
  const ids = ['--tenant', stored.tenant_id, '--unit', stored.business_unit_id]
  const { code, stdout, output } = await payctl(
    ['business-unit', 'provision', ...ids, '--name', merchant, '--json'],
    payctlEnv,
  )
  if (code !== 0) throw new UserError(`The business unit of the demo tenant could not be created:\n${output.trim()}`)
  const made: Demo = { ...stored, ...JSON.parse(stdout) }
  writePrivately(file, `${JSON.stringify(made, null, 2)}\n`)
  return made
}

export function payctl(args: readonly string[], env: Environment) {
  const entry = join(root, 'packages', 'payctl', 'dist', 'main.js')
  return runToEnd(process.execPath, [entry, ...args], { env: { ...compileCache, ...env }, timeoutMs: payctlTimeoutMs })
}

/** False when the gateway rejects the key, because the databases are others. */
async function opens(gatewayUrl: string, demo: Demo): Promise<boolean> {
  const { status, body } = await callAsDemo(gatewayUrl, demo, 'GET', '/v1/api-key/keys?limit=1')
  if (status >= 500) throw toUserError(status, body)
  return status < 400
}

function toUserError(status: number, body: unknown): UserError {
  return new UserError(`The gateway responded ${status} to the demo tenant: ${JSON.stringify(body)}`)
}

function buildHeaders(demo: Demo): Record<string, string> {
  return { Authorization: `Bearer ${demo.api_key.value}`, 'Tenant-ID': demo.tenant_id }
}

/** The variables of every example in the documentation, for a shell. */
export function exportLine(gatewayUrl: string, { tenant_id, business_unit_id, api_key }: Demo): string {
  return `export KEY=${api_key.value} TENANT=${tenant_id} UNIT=${business_unit_id} API=${gatewayUrl}/v1`
}

/** A payment in the sandbox; a new one, with its own Trace-ID, each time the line is pasted into a shell. */
export function curlLine(gatewayUrl: string, demo: Demo): string {
  const body = {
    business_unit_id: demo.business_unit_id,
    currency: 'USD',
    amount: 1999,
    payment_details: { payment_method: 'CREDIT_CARD', cc_token: 'tok_sandbox_visa' },
  }
  const headers = { ...buildHeaders(demo), 'Content-Type': 'application/json' }
  const parts = Object.entries(headers).map(([name, value]) => `-H '${name}: ${value}'`)
  parts.push(`-H "Trace-ID: $(node -p 'crypto.randomUUID()')"`)
  return `curl -sS ${gatewayUrl}/v1/payment-proxy/transactions/authorize ${parts.join(' ')} -d '${JSON.stringify(body)}'`
}
