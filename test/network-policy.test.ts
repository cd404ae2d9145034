import { readdirSync, readFileSync } from 'node:fs'
import { BlockList, isIPv6 } from 'node:net'
import { join, resolve } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { contracts } from '@payments/contracts/all'
import { edgesOf } from '@payments/contracts/edges'
import { processNames } from '@payments/devkit/process-plan'
import { parse, parseAllDocuments } from 'yaml'
import { kindOfAddress } from '../services/webhooks/src/domain/address.ts'
import { destinationPorts } from '../services/webhooks/src/domain/destination.ts'

/** The effect of the manifests (networking.k8s.io/v1): a connection between pods needs a rule at both ends. */
interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>
  readonly matchExpressions?: readonly { key: string; operator: string; values: readonly string[] }[]
}
interface Peer {
  readonly podSelector?: Selector
  readonly namespaceSelector?: Selector
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] }
}
interface Rule {
  readonly from?: readonly Peer[]
  readonly to?: readonly Peer[]
  readonly ports?: readonly { readonly port: number; readonly protocol: string }[]
}
interface Policy {
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly podSelector: Selector
    readonly policyTypes: readonly string[]
    readonly ingress?: readonly Rule[]
    readonly egress?: readonly Rule[]
  }
}
type Labels = Readonly<Record<string, string>>
interface Workload {
  readonly name: string
  readonly labels: Labels
  readonly env: Readonly<Record<string, string | undefined>>
}
interface Manifest extends Policy {
  readonly kind: string
}

const base = resolve(import.meta.dirname, '../k8s/base')
const read = (file: string) => readFileSync(join(base, file), 'utf8')
const resources = (parse(read('kustomization.yaml')) as { resources: string[] }).resources
const manifests = resources.flatMap((file) => parseAllDocuments(read(file)).map((one) => one.toJS() as Manifest))
const policies: readonly Policy[] = manifests.filter(({ kind }) => kind === 'NetworkPolicy')
const workloads = manifests.filter(({ spec }) => 'template' in spec).map(workloadOf)
const deployed = workloads.filter(({ name }) => !name.startsWith('migrate-'))
const payctl: Workload = { name: 'payctl', labels: { app: 'payctl' }, env: {} }

describe('every workload', () => {
  test('of the base is rendered, and in no overlay is anything of it taken away', () => {
    expect(resources.sort()).toEqual(
      readdirSync(base)
        .filter((name) => name !== 'kustomization.yaml')
        .sort(),
    )
    expect(deployed.map(({ name }) => name).sort()).toEqual([...processNames].sort())
    for (const overlay of ['dev', 'qa', 'prod']) {
      const text = readFileSync(join(base, '../overlays', overlay, 'kustomization.yaml'), 'utf8')
      expect(Object.keys(parse(text) as object).filter((key) => /patch|transformer|replacement/i.test(key))).toEqual([])
    }
  })

  test('may open and accept nothing that no policy names', () => {
    const closed = policies.find(({ metadata }) => metadata.name === 'closed')
    expect(closed?.spec).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] })
  })

  test('is selected by a policy of its own; one that is added without is found', () => {
    expect(withoutPolicy([...workloads, payctl])).toEqual([])
    const newcomer = { name: 'newcomer', labels: { app: 'newcomer' }, env: {} }
    expect(withoutPolicy([...workloads, newcomer, { ...newcomer, name: 'unlabelled', labels: {} }])).toEqual([
      'newcomer',
      'unlabelled',
    ])
  })
})

describe('a workload calls', () => {
  const edges = edgesOf(contracts).map(({ issuer, audience }) => `${issuer} > ${audience}`)

  test('exactly the services that the contracts let it call', () => {
    const open = [...workloads, payctl].flatMap((from) =>
      deployed
        .filter((to) => to.name !== 'gateway' && callsPod(from, to, 8080))
        .map((to) => `${from.name} > ${to.name}`),
    )
    expect(open.sort()).toEqual([...edges].sort())
  })

  test('those whose address it is given, and is given no other', () => {
    const given = deployed.flatMap(({ name, env }) =>
      Object.values(env).flatMap((value) => {
        const host = /^http:\/\/([\w-]+):8080$/.exec(value ?? '')?.[1]
        return host === undefined ? [] : [`${name} > ${host}`]
      }),
    )
    expect(given.sort()).toEqual(edges.filter((edge) => !edge.startsWith('payctl')).sort())
  })

  test('no port of health and metrics, and no dispatcher', () => {
    for (const from of [...workloads, payctl])
      for (const to of deployed)
        expect([from.name, to.name, callsPod(from, to, 9080)]).toEqual([from.name, to.name, false])
  })

  test.each([
    ['postgresql', 'DATABASE_URL', 5432],
    ['rabbitmq', 'AMQP_URL', 5672],
  ])('%s where it is given %s, and only there', (name, variable, port) => {
    const server = { 'app.kubernetes.io/name': name }
    const open = workloads.filter((from) => mayOpen(from, { labels: server, elsewhere: true }, port))
    const given = workloads.filter(({ env }) => variable in env)
    expect(open.map((one) => one.name)).toEqual(given.map((one) => one.name))
    expect(open.length).toBeGreaterThan(4)
  })

  test('DNS', () => {
    const dns = { labels: { 'k8s-app': 'kube-dns' }, namespace: { 'kubernetes.io/metadata.name': 'kube-system' } }
    for (const from of workloads) expect(mayOpen(from, { ...dns, elsewhere: true }, 53)).toBe(true)
  })
})

describe('the internet', () => {
  const publicAddresses = ['1.1.1.1', '8.8.8.8', '168.63.129.15', '172.32.0.1', '2606:4700:4700::1111', '2a00:1450::1']
  const closedAddresses = [
    ...['169.254.169.254', '168.63.129.16', '100.100.100.200', '10.0.0.1', '10.96.0.1', '127.0.0.1', '0.0.0.0'],
    ...['172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', '198.18.0.1', '224.0.0.1', '255.255.255.255'],
    ...['::1', '::', 'fd00::1', 'fd00:ec2::254', 'fd20:ce::254', 'fe80::1', 'ff02::1', '64:ff9b::a00:1'],
    ...['2002:a00:1::1', '2001::1', '2001:db8::1', '::ffff:10.0.0.1', '3fff::1'],
  ]
  const dispatcher = named('webhooks-dispatcher')

  test('is open to the dispatcher on the ports that destinations may have, and on no other', () => {
    const ports = [80, 443, 5432, 5672, 8080, 8443, 6443].filter((port) => mayOpen(dispatcher, '1.1.1.1', port))
    expect(ports).toEqual([...destinationPorts])
  })

  test.each(publicAddresses)('includes %s', (address) => {
    expect([kindOfAddress(address), mayOpen(dispatcher, address, 443)]).toEqual(['public', true])
  })

  test.each(closedAddresses)('does not include %s, which the dispatcher refuses too', (address) => {
    expect(kindOfAddress(address)).not.toBe('public')
    for (const from of workloads) for (const port of [80, 443, 8443]) expect(mayOpen(from, address, port)).toBe(false)
  })

  test('is open to the gateway for key sets of issuers, and to no other workload', () => {
    const open = workloads.filter((from) => mayOpen(from, '1.1.1.1', 443)).map(({ name }) => name)
    expect(open.sort()).toEqual(['gateway', 'webhooks-dispatcher'])
    expect(mayOpen(named('gateway'), '1.1.1.1', 8443)).toBe(false)
  })

  test('comes in at the gateway, and nowhere else', () => {
    const open = deployed.filter((to) => accepts(to, undefined, 8080)).map(({ name }) => name)
    expect(open).toEqual(['gateway'])
    expect(accepts(named('gateway'), undefined, 9080)).toBe(false)
  })
})

function workloadOf({ metadata, spec }: Manifest): Workload {
  const { template } = spec as unknown as {
    template: { metadata?: { labels?: Labels }; spec: { containers: { env?: { name: string; value?: string }[] }[] } }
  }
  const env = template.spec.containers.flatMap((container) => container.env ?? [])
  const pairs = env.map((one) => [one.name, one.value])
  return { name: metadata.name, labels: template.metadata?.labels ?? {}, env: Object.fromEntries(pairs) }
}

function named(name: string): Workload {
  const found = deployed.find((one) => one.name === name)
  if (found === undefined) throw new Error(`there is no workload ${name}`)
  return found
}

/** Those that no policy of their own name selects. The migration Jobs share that of the one thing they reach. */
function withoutPolicy(all: readonly Workload[]): string[] {
  const policyOf = (name: string) => (name.startsWith('migrate-') ? 'postgresql' : name)
  return all
    .filter(({ name, labels }) => {
      const own = policies.find(({ metadata }) => metadata.name === policyOf(name))
      return own === undefined || !selects(own.spec.podSelector, labels)
    })
    .map(({ name }) => name)
}

interface Pod {
  readonly labels: Labels
  readonly namespace?: Labels
  /** In another namespace than ours. */
  readonly elsewhere: boolean
}

function callsPod(from: Workload, to: Workload, port: number): boolean {
  return mayOpen(from, { labels: to.labels, elsewhere: false }, port) && accepts(to, from, port)
}

/** `to`: an address outside the cluster, or a pod. */
function mayOpen(from: Workload, to: string | Pod, port: number): boolean {
  return rulesOf(from, 'Egress').some(
    (rule) => hasPort(rule, port) && (rule.to ?? [{}]).some((peer) => isPeer(peer, to)),
  )
}

/** `from` is undefined where it is a client outside the cluster. */
function accepts(to: Workload, from: Workload | undefined, port: number): boolean {
  return rulesOf(to, 'Ingress').some(
    (rule) =>
      hasPort(rule, port) &&
      (rule.from === undefined ||
        (from !== undefined && rule.from.some((peer) => isPeer(peer, { labels: from.labels, elsewhere: false })))),
  )
}

function rulesOf({ labels }: Workload, type: 'Ingress' | 'Egress'): readonly Rule[] {
  const selecting = policies.filter(({ spec }) => spec.policyTypes.includes(type) && selects(spec.podSelector, labels))
  if (selecting.length === 0) return [{}]
  return selecting.flatMap(({ spec }) => (type === 'Ingress' ? spec.ingress : spec.egress) ?? [])
}

function hasPort({ ports }: Rule, port: number): boolean {
  return ports === undefined || ports.some((one) => one.port === port)
}

function isPeer(peer: Peer, to: string | Pod): boolean {
  if (typeof to === 'string') return peer.ipBlock === undefined ? false : isInBlock(peer.ipBlock, to)
  if (peer.ipBlock !== undefined) return false
  if (peer.namespaceSelector === undefined && to.elsewhere) return false
  if (peer.namespaceSelector !== undefined && !selects(peer.namespaceSelector, to.namespace ?? {})) return false
  return selects(peer.podSelector ?? {}, to.labels)
}

function isInBlock({ cidr, except = [] }: NonNullable<Peer['ipBlock']>, address: string): boolean {
  return isIn([cidr], address) && !isIn(except, address)
}

function isIn(cidrs: readonly string[], address: string): boolean {
  const family = isIPv6(address) ? 'ipv6' : 'ipv4'
  const list = new BlockList()
  for (const cidr of cidrs) {
    const [network = '', bits] = cidr.split('/')
    if (isIPv6(network) === (family === 'ipv6')) list.addSubnet(network, Number(bits), family)
  }
  return list.check(address, family)
}

function selects({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values }) => {
      if (operator !== 'In') throw new Error(`operator ${operator} is not read here`)
      return values.includes(labels[key] ?? '')
    })
  )
}
