/** @slow It starts payctl some hundred times. */
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { payctl } from '@payments/devkit/platform/demo'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'

const platform = sharedPlatform()
const closed = 'http://127.0.0.1:9'

test.each([
  ['BUSINESS_UNIT_URL', ['business-unit provision', 'user invite', 'key issue']],
  ['IDENTITY_URL', ['user invite', 'key issue']],
  ['API_KEY_URL', ['key issue']],
])(
  'an onboarding that ends before %s responds names what completes it',
  async (address, missing) => {
    const args = ['tenant', 'create', '--name', 'Half', '--show-key', '--admin-email', `${randomUUID()}@half.example`]
    const { code, stdout, output } = await payctl(args, { ...platform.payctlEnv, [address]: closed })
    expect([code, stdout]).toEqual([1, ''])
    const commands = missing.map((command) => `payctl ${command}`).join(', ')
    const tenant = /; the tenant ([0-9a-f-]{36}) was created, and misses: (.*)\n$/.exec(output)
    expect(tenant?.[2]).toBe(commands)

    const of = ['--tenant', tenant?.[1] ?? '', '--json']
    const given: Readonly<Record<string, readonly string[]>> = {
      'business-unit provision': ['--unit', randomUUID(), '--name', 'Half'],
      'user invite': ['--email', `${randomUUID()}@half.example`, '--role', 'admin'],
      'key issue': ['--role', 'admin', '--show-key'],
    }
    for (const command of missing) {
      const done = await platform.payctl(...command.split(' '), ...of, ...(given[command] ?? []))
      expect([command, done.code, done.output]).toEqual([command, 0, done.stdout])
    }
  },
  120_000,
)
