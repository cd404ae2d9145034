import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from '@jest/globals'
import { callAsDemo, curlLine } from '@payments/devkit/platform/demo'
import { receiver } from '@payments/testing/peers/receiver'

const demo = {
  tenant_id: 'a tenant',
  business_unit_id: 'a unit',
  payment_orchestrator_id: null,
  api_key: { id: 'a key', value: 'psk_dev_x' },
}

it.each(['sh', 'bash'])('prints a curl line that has a new Trace-ID each time %s runs it', async (shell) => {
  const endpoint = await receiver()
  try {
    const line = curlLine(endpoint.url, demo)
    for (const _ of [1, 2]) await promisify(execFile)(shell, ['-c', line], { timeout: 20_000 })
    const [first, second] = endpoint.received
    expect(first?.headers).toMatchObject({ authorization: 'Bearer psk_dev_x', 'tenant-id': 'a tenant' })
    expect(JSON.parse(String(first?.body))).toMatchObject({ business_unit_id: 'a unit', amount: 1999 })
    const ids = [first, second].map((one) => String(one?.headers['trace-id']))
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    expect(ids[0]).not.toBe(ids[1])
  } finally {
    await endpoint.close()
  }
})

it.each(['<html>Bad Gateway</html>', ''])('returns a body that is no JSON as its text: %j', async (body) => {
  const other = await receiver()
  try {
    other.respondWith(() => ({ status: 502, body }))
    expect(await callAsDemo(other.url, demo, 'GET', '/v1/api-key/keys')).toEqual({ status: 502, body })
  } finally {
    await other.close()
  }
})
