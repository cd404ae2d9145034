/**
 * npm run model payments [-- --commands N] [-- --seed N]. Runs random histories of payments and compares the records
 * with the ledger of the sandbox: services/payment-proxy/test/model.test.ts. A seed repeats the commands of a run.
 */
import { parseArgs } from 'node:util'
import { bootstrap, root, run } from '../bootstrap.mjs'
import { inPlace } from '../processes.mjs'

const usage = 'Usage: npm run model payments [-- --commands N] [-- --seed N]'

await run(async () => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { commands: { type: 'string', default: '10000' }, seed: { type: 'string', default: '' } },
  })
  const { commands, seed } = values
  const isNumeric = /^[1-9]\d{0,6}$/.test(commands) && /^\d{0,9}$/.test(seed)
  if (positionals.join() !== 'payments' || !isNumeric) {
    console.error(usage)
    return 2
  }
  await bootstrap()
  const env = { ...process.env, MODEL_COMMANDS: commands, ...(seed === '' ? {} : { MODEL_SEED: seed }) }
  const args = ['scripts/tests/test.mjs', 'services/payment-proxy/test/model.test.ts']
  return inPlace(process.execPath, args, { cwd: root, env })
})
