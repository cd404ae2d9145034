/**
 * npm run openapi:examples: starts a local stack, performs one exchange per operation of a tenant, and writes requests,
 * responses and problems as the examples of the OpenAPI documents. Values that differ between runs are stable ones, so
 * a second run changes nothing. A test fails while an operation has no example, or its example does not fit.
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bootstrap, root, run } from '../bootstrap.mjs'

const directory = join(root, 'packages', 'contracts', 'src', 'openapi', 'examples')

await run(async () => {
  await bootstrap()
  const { onTestServers } = await import('../../packages/devkit/dist/tests/test-run.js')
  const { formatDocument } = await import('../../packages/contracts/dist/openapi/format.js')
  const code = await onTestServers('npm run openapi:examples', async (servers) => {
    process.env['TEST_DATABASE_URL'] = servers.databaseUrl
    process.env['TEST_AMQP_URL'] = servers.amqpUrl
    const { startTestStack } = await import('../../packages/testing/dist/platform/local-stack.js')
    const { recordExamples, recordingEnvironment } = await import(
      '../../packages/testing/dist/examples/record-examples.js'
    )
    const stack = await startTestStack({ env: recordingEnvironment })
    try {
      for (const [service, examples] of await recordExamples(stack))
        writeFileSync(join(directory, `${service}.json`), formatDocument(examples))
    } finally {
      await stack.stop()
    }
    return 0
  })
  if (code === 0) execFileSync(process.execPath, [join(root, 'scripts', 'texts', 'openapi.mjs')], { stdio: 'inherit' })
  return code
})
