/**
 * The policies that every rendered overlay must satisfy, one function each. It returns its violations in plain words.
 */
import { type Container, isProcess, isWorkload, type Manifest, readPod } from './manifests.ts'

export type ManifestPolicy = (manifests: readonly Manifest[]) => string[]

const nameManifest = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`
const ofKind = (manifests: readonly Manifest[], kind: string) => manifests.filter((one) => one.kind === kind)
const listContainers = (manifest: Manifest) =>
  readPod(manifest).containers.map((container) => [`${nameManifest(manifest)}, ${container.name}`, container] as const)
const containers = (manifests: readonly Manifest[]) => manifests.filter(isWorkload).flatMap(listContainers)
const readLabels = ({ spec }: Manifest) => spec?.template?.metadata?.labels ?? {}
const listPorts = (manifest: Manifest) => readPod(manifest).containers.flatMap(({ ports = [] }) => ports)

function failing<T>(items: readonly (readonly [string, T])[], isGood: (item: T) => boolean, says: string): string[] {
  return items.filter(([, item]) => !isGood(item)).map(([name]) => `${name}: ${says}`)
}

/** Whether `actual` has everything that `expected` has. */
function includes(actual: unknown, expected: unknown): boolean {
  if (typeof expected !== 'object' || expected === null) return actual === expected
  if (typeof actual !== 'object' || actual === null) return false
  return Object.entries(expected).every(([key, value]) => includes((actual as Record<string, unknown>)[key], value))
}

/**
 * `release`: the version in package.json. An image has this tag or, after `scripts/release/pin-images.mjs`, a digest.
 */
export const requireImages =
  (release: string): ManifestPolicy =>
  (manifests) => [
    ...failing(
      containers(manifests),
      ({ image }) => new RegExp(`^(?:.+/)?payments/[a-z-]+(?::${release}|@sha256:[0-9a-f]{64})$`).test(image),
      `its image is not pinned to ${release}`,
    ),
    ...ofKind(manifests, 'Job')
      .filter(({ metadata }) => metadata.name !== 'payctl')
      .filter(({ metadata }) => metadata.name !== `migrate-${release.replaceAll('.', '-')}`)
      .map((job) => `${nameManifest(job)}: its name lacks the release, so a second release cannot be applied`),
    ...ofKind(manifests, 'Job')
      .filter(({ spec }) => !((spec?.ttlSecondsAfterFinished ?? 0) > 0))
      .map((job) => `${nameManifest(job)}: it stays for ever`),
  ]

const restrictedPod = {
  automountServiceAccountToken: false,
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
}
const restrictedContainer = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
}

export const leastPrivilege: ManifestPolicy = (manifests) => [
  ...manifests
    .filter(isWorkload)
    .filter((one) => !includes(readPod(one), restrictedPod))
    .map((one) => `${nameManifest(one)}: its pod has more privileges than it needs`),
  ...failing(
    containers(manifests),
    ({ securityContext }) => includes(securityContext, restrictedContainer),
    'it has more privileges than it needs',
  ),
  ...ofKind(manifests, 'Namespace')
    .filter(({ metadata }) => metadata.labels?.['pod-security.kubernetes.io/enforce'] !== 'restricted')
    .map((one) => `${nameManifest(one)}: it does not enforce the pod security standard restricted`),
]

/** Names of variables that a Secret holds somewhere. */
const secretNames = (manifests: readonly Manifest[]) =>
  new Set(containers(manifests).flatMap(([, { env = [] }]) => env.flatMap((one) => (one.valueFrom ? [one.name] : []))))

/** A URL with credentials, or a long random text. */
const looksSecret = (value: string) => /\/\/[^/\s]*:[^/\s]*@/.test(value) || /[A-Za-z0-9+/_=-]{40}/.test(value)

export const secretsOfTheirOwn: ManifestPolicy = (manifests) => {
  const secret = secretNames(manifests)
  const literals = [
    ...containers(manifests).flatMap(([where, { env = [] }]) =>
      env.flatMap(({ name, value }) => (value === undefined ? [] : [[`${where}, ${name}`, { name, value }] as const])),
    ),
    ...ofKind(manifests, 'ConfigMap').flatMap((map) =>
      Object.entries(map.data ?? {}).map(
        ([name, value]) => [`${nameManifest(map)}, ${name}`, { name, value }] as const,
      ),
    ),
  ]
  const foreign = manifests.filter(isWorkload).flatMap((one) =>
    readPod(one).containers.flatMap(({ name, env = [] }) => {
      const own = one.kind === 'Job' && name !== 'payctl' ? `${name}-owner` : name.replace(/-dispatcher$/, '')
      return env
        .filter(({ valueFrom }) => valueFrom !== undefined && valueFrom.secretKeyRef.name !== own)
        .map((variable) => `${nameManifest(one)}, ${variable.name}: from the Secret of another process`)
    }),
  )
  return [
    ...ofKind(manifests, 'Secret').map((one) => `${nameManifest(one)}: a Secret in the repository`),
    ...failing(literals, ({ name, value }) => !secret.has(name) && !looksSecret(value), 'a secret as a literal'),
    ...foreign,
  ]
}

export const probes: ManifestPolicy = (manifests) =>
  manifests.filter(isProcess).flatMap((one) => {
    const named = (port: string | undefined) => listPorts(one).some(({ name }) => name === port)
    const expected = { startupProbe: '/healthz', readinessProbe: '/readyz', livenessProbe: '/healthz' } as const
    return listContainers(one).flatMap(([where, container]) =>
      Object.entries(expected)
        .filter(([probe, path]) => {
          const { httpGet } = container[probe as keyof typeof expected] ?? {}
          return httpGet?.path !== path || httpGet.port !== 'internal' || !named(httpGet.port)
        })
        .map(([probe]) => `${where}: ${probe}`),
    )
  })

export const resources: ManifestPolicy = (manifests) =>
  failing(
    containers(manifests),
    ({ resources: given }: Container) =>
      [given?.requests?.cpu, given?.requests?.memory, given?.limits?.memory].every((one) => one !== undefined),
    'no request of CPU and memory, or no limit of memory',
  )

export const availability: ManifestPolicy = (manifests) =>
  manifests.filter(isProcess).flatMap((one) => {
    const { name } = one.metadata
    const find = (kind: string) => ofKind(manifests, kind).find(({ metadata }) => metadata.name === name)
    const scaler = find('HorizontalPodAutoscaler')?.spec ?? find('ScaledObject')?.spec
    const constraints = readPod(one).topologySpreadConstraints
    const keys = constraints?.map(({ topologyKey }) => topologyKey)
    const isRejected = constraints?.some(({ labelSelector, matchLabelKeys = [] }) =>
      matchLabelKeys.some((key) => JSON.stringify(labelSelector ?? {}).includes(`"${key}"`)),
    )
    const isScaled = scaler?.scaleTargetRef?.name === name
    return [
      ...(find('PodDisruptionBudget')?.spec?.maxUnavailable === 1 ? [] : ['no PodDisruptionBudget of one pod']),
      ...(keys?.join() === 'topology.kubernetes.io/zone,kubernetes.io/hostname' ? [] : ['not spread over zones']),
      ...(isRejected ? ['labelSelector has a key of matchLabelKeys'] : []),
      ...(one.metadata.labels?.['app'] === name ? [] : ['no label app, by which a rollout selects it']),
      // The gateway has a volume per replica, so a person changes their number.
      ...(isScaled === (one.kind === 'Deployment') ? [] : ['a Deployment needs an autoscaler, a StatefulSet none']),
      ...(one.kind === 'Deployment' && one.spec?.replicas !== undefined ? ['replicas beside an autoscaler'] : []),
    ].map((says) => `${nameManifest(one)}: ${says}`)
  })

export const references: ManifestPolicy = (manifests) => {
  const workloads = manifests.filter(isWorkload)
  const selected = (labels: object) => workloads.filter((one) => includes(readLabels(one), labels))
  const maps = new Set(ofKind(manifests, 'ConfigMap').map(({ metadata }) => metadata.name))
  const used = containers(manifests).flatMap(([where, { envFrom = [] }]) =>
    envFrom.map(({ configMapRef }) => [where, configMapRef.name] as const),
  )
  const services = ofKind(manifests, 'Service')
  const twice = manifests.map((one) => nameManifest(one)).filter((name, index, all) => all.indexOf(name) !== index)
  return [
    ...twice.map((name) => `${name}: twice`),
    ...services.flatMap((service) => {
      const targets = selected(service.spec?.selector ?? {})
      const names = targets.flatMap(listPorts).map(({ name }) => name)
      const ports = service.spec?.ports?.map(({ targetPort }) => targetPort) ?? []
      const isRight = targets.length === 1 && ports.every((port) => names.includes(port))
      return isRight ? [] : [`${nameManifest(service)}: it selects no workload, several, or a port that is not there`]
    }),
    ...ofKind(manifests, 'PodDisruptionBudget')
      .filter(({ spec }) => selected(spec?.selector?.matchLabels ?? {}).length !== 1)
      .map((one) => `${nameManifest(one)}: it selects no workload, or several`),
    ...used.filter(([, map]) => !maps.has(map)).map(([where, map]) => `${where}: no ConfigMap ${map}`),
    ...[...maps].filter((map) => !used.some(([, name]) => name === map)).map((map) => `ConfigMap ${map}: not used`),
    ...ofKind(manifests, 'StatefulSet')
      .filter(({ spec }) => !services.some(headless(spec?.serviceName)))
      .map((one) => `${nameManifest(one)}: its service is not headless`),
    ...ofKind(manifests, 'Ingress').flatMap((ingress) => ingressViolations(ingress, services)),
  ]
}

const headless = (name: string | undefined) => (service: Manifest) =>
  service.metadata.name === name && service.spec?.clusterIP === 'None'

function ingressViolations(ingress: Manifest, services: readonly Manifest[]): string[] {
  const { rules = [], tls = [] } = ingress.spec ?? {}
  const encrypted = tls.flatMap(({ hosts }) => hosts)
  const backends = rules.flatMap(({ http }) => http.paths.map(({ backend }) => backend.service))
  return [
    ...rules
      .filter(({ host }) => !encrypted.includes(host))
      .map(({ host }) => `${nameManifest(ingress)}: ${host} has no TLS`),
    ...backends
      .filter(({ name, port }) => {
        const service = services.find(({ metadata }) => metadata.name === name)
        return !service?.spec?.ports?.some((one) => one.name === port.name)
      })
      .map(({ name }) => `${nameManifest(ingress)}: no Service ${name} with that port`),
  ]
}
