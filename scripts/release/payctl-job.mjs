/**
 * Prints the Job that runs one payctl command in a cluster, from the template in k8s/payctl.
 *
 *   node scripts/release/payctl-job.mjs --operator NAME -- COMMAND… | kubectl create --namespace payments-prod -f -
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { parse } from 'yaml'

const root = join(import.meta.dirname, '..', '..')
const usage = 'Usage: node scripts/release/payctl-job.mjs --operator NAME -- COMMAND…'

const { operator, command } = readArguments()
const job = parse(execFileSync('kubectl', ['kustomize', join(root, 'k8s/payctl')], { encoding: 'utf8' }))
const [container] = job.spec.template.spec.containers
container.args = [container.args[0], ...command]
for (const variable of container.env) if (variable.name === 'PAYCTL_OPERATOR') variable.value = operator
// Each command is its own Job.
const { name, ...metadata } = job.metadata
console.log(JSON.stringify({ ...job, metadata: { ...metadata, generateName: `${name}-` } }, null, 2))

function readArguments() {
  try {
    const { values, positionals } = parseArgs({ options: { operator: { type: 'string' } }, allowPositionals: true })
    if (!values.operator) throw new TypeError('--operator must name you')
    if (positionals.length === 0) throw new TypeError('the command of payctl is missing')
    const unsafe = ['--show-key', '--key-output'].find((option) => positionals.some((one) => one.startsWith(option)))
    if (unsafe) throw new TypeError(`${unsafe} would log or lose the key in a Job: use --encrypt-key`)
    return { operator: values.operator, command: positionals }
  } catch (error) {
    console.error(`${error.message}\n${usage}`)
    process.exit(2)
  }
}
