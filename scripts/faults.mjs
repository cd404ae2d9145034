/**
 * npm run faults webhooks|gateway|payments|invite-to-pay [--only NAME[,NAME]]. webhooks: injects every fault of
 * test/faults/ into the running platform, one at a time, and prints the state of the events. gateway: runs every
 * pressure of test/gateway-faults/ and prints the effect on another tenant. payments: injects every fault of
 * test/payment-faults/ while clients pay, and compares the books. invite-to-pay: injects every fault of
 * test/invite-to-pay-faults/ while payers pay by links, and compares codes, payments, messages and events. `--only`:
 * faults whose name contains NAME. Uses its own servers and compiled packages.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bootstrap, root, run } from './bootstrap.mjs'
import { inPlace } from './processes.mjs'

const usage =
  'Usage: npm run faults webhooks|gateway|payments|invite-to-pay [--only NAME[,NAME]]: docs/faults.md has the names'
const suites = {
  webhooks: { test: 'test/faults.test.ts', variable: 'FAULTS' },
  gateway: { test: 'test/gateway-faults.test.ts', variable: 'GATEWAY_FAULTS' },
  payments: { test: 'test/payment-faults.test.ts', variable: 'PAYMENT_FAULTS' },
  'invite-to-pay': { test: 'test/invite-to-pay-faults.test.ts', variable: 'INVITE_TO_PAY_FAULTS' },
}

await run(async () => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { only: { type: 'string', default: 'all' } },
  })
  const suite = Object.hasOwn(suites, positionals[0] ?? '') ? suites[positionals[0]] : undefined
  if (positionals.length !== 1 || suite === undefined) {
    console.error(usage)
    return 2
  }
  await bootstrap()
  const node = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning']
  const jest = [join(root, 'node_modules', 'jest', 'bin', 'jest.js'), '--runTestsByPath', suite.test]
  const env = { ...process.env, [suite.variable]: values.only }
  return inPlace(process.execPath, [...node, ...jest], { cwd: root, env })
})
