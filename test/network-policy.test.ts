import { BlockList, isIPv6 } from 'node:net'
import { describe, expect, test } from '@jest/globals'
import { listEdges } from '@payments/contracts/edges/calls'
import { contracts } from '@payments/contracts/edges/contracts'
import { processNames } from '@payments/devkit/platform/process-plan'
import { classifyAddress } from '@payments/egress/address'
import { destinationPorts } from '@payments/egress/destination'
import { isWorkload, type Manifest, readPod, renderManifests } from './manifests.ts'

/** The effect of the manifests (networking.k8s.io/v1): a connection between pods needs a rule at both ends. */
interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>
  readonly matchExpressions?: readonly { key: string; operator: string; values?: readonly string[] }[]
}
interface Peer {
  readonly podSelector?: Selector
  readonly namespaceSelector?: Selector
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] }
}
interface Rule {
  readonly from?: readonly Peer[]
  readonly to?: readonly Peer[]
  readonly ports?: readonly { readonly port: number | string; readonly protocol: string }[]
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
  /** Names of ports, with their numbers. */
  readonly ports: Readonly<Record<string, number>>
}

/** test/manifests.test.ts shows that the policies of all overlays are equal. */
const manifests = renderManifests('overlays/prod')
const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy') as unknown as readonly Policy[]
const workloads = manifests.filter(isWorkload).map(toWorkload)
const deployed = workloads.filter(({ name }) => !name.startsWith('migrate-'))
const payctl = renderManifests('payctl')
  .map(toWorkload)
  .find(({ name }) => name === 'payctl') as Workload

describe('every workload', () => {
  test('is a process of the platform or the migration Job', () => {
    expect(deployed.map(({ name }) => name).sort()).toEqual([...processNames].sort())
    expect(workloads.length).toBe(deployed.length + 1)
  })

  test('may open and accept nothing that no policy names', () => {
    const closed = policies.find(({ metadata }) => metadata.name === 'closed')
    expect(closed?.spec).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] })
  })

  test('is selected by a policy of its own; one that is added without is found', () => {
    expect(withoutPolicy([...workloads, payctl])).toEqual([])
    const newcomer = { name: 'newcomer', labels: { app: 'newcomer' }, env: {}, ports: {} }
    expect(withoutPolicy([...workloads, newcomer, { ...newcomer, name: 'unlabelled', labels: {} }])).toEqual([
      'newcomer',
      'unlabelled',
    ])
  })
})

describe('a workload calls', () => {
  const edges = listEdges(contracts).map(({ issuer, audience }) => `${issuer} > ${audience}`)

  test('exactly the services that the contracts let it call', () => {
    const open = [...workloads, payctl].flatMap((from) =>
      deployed
        .filter((to) => to.name !== 'gateway' && callsPod(from, to, 8080))
        .map((to) => `${from.name} > ${to.name}`),
    )
    expect(open.sort()).toEqual([...edges].sort())
  })

  test('those whose address it is given, and is given no other', () => {
    const given = [...deployed, payctl].flatMap(({ name, env }) =>
      Object.values(env).flatMap((value) => {
        const host = /^http:\/\/([\w-]+):8080$/.exec(value ?? '')?.[1]
        return host === undefined ? [] : [`${name} > ${host}`]
      }),
    )
    expect(given.sort()).toEqual([...edges].sort())
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
    const open = workloads.filter((from) => mayOpen(from, { labels: server, elsewhere: false }, port))
    const given = workloads.filter(({ env }) => variable in env)
    expect(open.map((one) => one.name)).toEqual(given.map((one) => one.name))
    expect(open.length).toBeGreaterThan(4)
    const namespace = { 'kubernetes.io/metadata.name': 'another', 'payment-service/role': 'monitoring' }
    for (const from of [...workloads, payctl])
      expect([from.name, mayOpen(from, { labels: server, namespace, elsewhere: true }, port)]).toEqual([
        from.name,
        false,
      ])
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
  const dispatcher = findWorkload('webhooks-dispatcher')

  test('is open to the dispatcher on the ports that destinations may have, and on no other', () => {
    const ports = [80, 443, 5432, 5672, 8080, 8443, 6443].filter((port) => mayOpen(dispatcher, '1.1.1.1', port))
    expect(ports).toEqual([...destinationPorts])
  })

  test.each(publicAddresses)('includes %s', (address) => {
    expect([classifyAddress(address), mayOpen(dispatcher, address, 443)]).toEqual(['public', true])
  })

  test.each(closedAddresses)('does not include %s, which the dispatcher refuses too', (address) => {
    expect(classifyAddress(address)).not.toBe('public')
    for (const from of workloads) for (const port of [80, 443, 8443]) expect(mayOpen(from, address, port)).toBe(false)
  })

  test('is open to what reads key sets, signs people in, hands over messages or calls URLs of tenants, and to no other', () => {
    const open = workloads.filter((from) => mayOpen(from, '1.1.1.1', 443)).map(({ name }) => name)
    expect(open.sort()).toEqual(['communication', 'gateway', 'identity', 'payment-proxy', 'webhooks-dispatcher'])
    expect(mayOpen(findWorkload('gateway'), '1.1.1.1', 8443)).toBe(false)
  })

  test('comes in through the Ingress controller at the gateway, and nowhere else', () => {
    const controller: Pod = { labels: {}, namespace: { 'payment-service/role': 'ingress' }, elsewhere: true }
    const outside: Pod = { labels: { app: 'gateway' }, elsewhere: true }
    for (const port of [8080, 9080]) {
      expect(deployed.filter((to) => accepts(to, outside, port))).toEqual([])
      const open = deployed.filter((to) => accepts(to, controller, port)).map(({ name }) => name)
      expect(open).toEqual(port === 8080 ? ['gateway'] : [])
    }
  })
})

describe('Prometheus', () => {
  const prometheus: Pod = { labels: {}, namespace: { 'payment-service/role': 'monitoring' }, elsewhere: true }

  test('reaches the metrics of every process, and the public port of none', () => {
    for (const to of deployed) {
      const { internal = 0, http = 0 } = to.ports
      expect([to.name, accepts(to, prometheus, internal), accepts(to, prometheus, http)]).toEqual([
        to.name,
        true,
        false,
      ])
    }
  })
})

function toWorkload(manifest: Manifest): Workload {
  const { containers } = readPod(manifest)
  const env = containers.flatMap((container) => container.env ?? []).map((one) => [one.name, one.value])
  const ports = containers.flatMap((container) => container.ports ?? []).map((one) => [one.name, one.containerPort])
  return {
    name: manifest.metadata.name,
    labels: manifest.spec?.template?.metadata?.labels ?? {},
    env: Object.fromEntries(env),
    ports: Object.fromEntries(ports),
  }
}

function findWorkload(name: string): Workload {
  const found = deployed.find((one) => one.name === name)
  if (found === undefined) throw new Error(`there is no workload ${name}`)
  return found
}

/** Workloads that no policy of their name selects. The migration Job shares the policy of what it reaches. */
function withoutPolicy(all: readonly Workload[]): string[] {
  const policyName = (name: string) => (name.startsWith('migrate-') ? 'postgresql' : name)
  return all
    .filter(({ name, labels }) => {
      const own = policies.find(({ metadata }) => metadata.name === policyName(name))
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
  const pod = { labels: from.labels, elsewhere: false }
  return mayOpen(from, { labels: to.labels, elsewhere: false }, port) && accepts(to, pod, port)
}

/** `to`: an address outside the cluster, or a pod. */
function mayOpen(from: Workload, to: string | Pod, port: number): boolean {
  return listRules(from, 'Egress').some(
    (rule) => hasPort(rule, port) && (rule.to ?? [{}]).some((peer) => isPeer(peer, to)),
  )
}

function accepts(to: Workload, from: Pod, port: number): boolean {
  return listRules(to, 'Ingress').some(
    (rule) => hasPort(rule, port, to.ports) && (rule.from ?? [{}]).some((peer) => isPeer(peer, from)),
  )
}

function listRules({ labels }: Workload, type: 'Ingress' | 'Egress'): readonly Rule[] {
  const selecting = policies.filter(({ spec }) => spec.policyTypes.includes(type) && selects(spec.podSelector, labels))
  if (selecting.length === 0) return [{}]
  return selecting.flatMap(({ spec }) => (type === 'Ingress' ? spec.ingress : spec.egress) ?? [])
}

/** `names`: the ports of the pod that accepts. */
function hasPort({ ports }: Rule, port: number, names: Workload['ports'] = {}): boolean {
  const numbers = ports?.map((one) => (typeof one.port === 'number' ? one.port : names[one.port]))
  return numbers === undefined || numbers.includes(port)
}

/** A rule without peers matches everything. `{}` represents its missing peer. */
function isPeer(peer: Peer, to: string | Pod): boolean {
  if (Object.keys(peer).length === 0) return true
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
      if (operator === 'Exists') return key in labels
      if (operator !== 'In' || values === undefined) throw new Error(`operator ${operator} is not read here`)
      return values.includes(labels[key] ?? '')
    })
  )
}
