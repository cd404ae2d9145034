/**
 * npm test: installs, provisions, proves the product beside the checks but lint, and prints `N passed, N failed` last.
 * npm run test:all: with lint, the files that are marked `@slow` in their first comment, and hostile texts. A
 * change lands with all of them.
 * npm run test:all -- --rest: only these, and the files of the shared platform again, in another order.
 * npm test -- <paths and jest flags>: only those tests. --shared-platform names the files that share a platform.
 * npm test -- --seed <number>: the files in the order of an earlier run, which printed the number.
 * npm test -- --servers: PostgreSQL and RabbitMQ only, until Ctrl-C, for tests to share.
 */
import { bootstrap, run } from '../bootstrap.mjs'

await run(async () => {
  const args = process.argv.slice(2)
  await bootstrap({ typeErrorsAreFatal: args.length === 0 || args[0] === '--all' || args[0] === '--seed' })
  const { keepServers, runTests } = await import('../../packages/devkit/dist/tests/test-run.js')
  return args[0] === '--servers'
    ? keepServers()
    : runTests(args, [process.execPath, ['scripts/tests/verify.mjs', '--beside-tests']])
})
