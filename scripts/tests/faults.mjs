/**
 * npm run faults webhooks|gateway|payments|invite-to-pay [--only NAME[,NAME]]: injects every fault of a scenario, or
 * those whose name contains NAME, and prints what became of the promises: test/faults/<scenario>.test.ts. Uses its own
 * servers and compiled packages.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bootstrap, root, run } from '../bootstrap.mjs'
import { inPlace } from '../processes.mjs'

const scenarios = ['webhooks', 'gateway', 'payments', 'invite-to-pay']
const usage = `Usage: npm run faults ${scenarios.join('|')} [--only NAME[,NAME]]: docs/faults.md has the names`

await run(async () => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { only: { type: 'string', default: 'all' } },
  })
  const [scenario = ''] = positionals
  if (positionals.length !== 1 || !scenarios.includes(scenario)) {
    console.error(usage)
    return 2
  }
  await bootstrap()
  const node = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning']
  const jest = [join(root, 'node_modules', 'jest', 'bin', 'jest.js'), '--runTestsByPath']
  const args = [...node, ...jest, `test/faults/${scenario}.test.ts`]
  return inPlace(process.execPath, args, { cwd: root, env: { ...process.env, FAULTS: values.only } })
})
