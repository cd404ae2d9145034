/** @slow It starts payctl some hundred times. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from '@jest/globals'
import { root } from '@payments/devkit/machine/profile'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { createCaller, type Onboarded, onboard } from './tenant.ts'
import { eventually } from './tenant-resources.ts'

/** payctl with more output than a pipe holds, which is 64 KiB. */
const platform = sharedPlatform()
const records = 200
let tenant: Onboarded

beforeAll(async () => {
  tenant = await onboard(platform, 'Long')
  const call = createCaller(platform, tenant.api_key.value, tenant.tenant_id)
  for (let requests = 0; requests < records; requests += 1) await call('GET', '/v1/rbac/roles')
}, 240_000)

/** The standard output, through a pipe that is read after this delay. */
async function readAfter(seconds: number): Promise<string> {
  const entry = join(root, 'packages', 'payctl', 'dist', 'main.js')
  const args = ['audit', 'list', '--tenant', tenant.tenant_id, '--limit', String(records), '--json']
  const command = ['-c', `"$@" | (sleep ${seconds}; cat)`, 'sh', process.execPath, entry, ...args]
  return (await promisify(execFile)('sh', command, { env: platform.payctlEnv, maxBuffer: 2 ** 24 })).stdout
}

test('writes the whole output into a pipe whose reader is slow', async () => {
  await eventually(
    async () => (JSON.parse(await readAfter(0)).length === records ? true : undefined),
    `${records} audit records`,
  )
  const output = await readAfter(5)
  expect(Buffer.byteLength(output)).toBeGreaterThan(65_536)
  expect(JSON.parse(output)).toHaveLength(records)
}, 240_000)
