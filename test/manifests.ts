/** The manifests of k8s as kubectl renders them: what a cluster would get. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { parseAllDocuments } from 'yaml'

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string }
}
interface Variable {
  readonly name: string
  readonly value?: string
  readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } }
}
export interface Container {
  readonly name: string
  readonly image: string
  readonly args?: readonly string[]
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[]
  readonly env?: readonly Variable[]
  readonly envFrom?: readonly { readonly configMapRef: { readonly name: string } }[]
  readonly startupProbe?: Probe
  readonly readinessProbe?: Probe
  readonly livenessProbe?: Probe
  readonly resources?: {
    readonly requests?: { readonly cpu?: string; readonly memory?: string }
    readonly limits?: { readonly memory?: string }
  }
  readonly securityContext?: object
}
export interface Pod {
  readonly terminationGracePeriodSeconds?: number
  readonly automountServiceAccountToken?: boolean
  readonly securityContext?: object
  readonly topologySpreadConstraints?: readonly {
    readonly topologyKey: string
    readonly labelSelector?: object
    readonly matchLabelKeys?: readonly string[]
  }[]
  readonly containers: readonly Container[]
}
interface Labelled {
  readonly matchLabels?: Readonly<Record<string, string>>
}
/** The fields of all kinds that tests read. */
interface Spec {
  readonly template?: { readonly metadata?: { readonly labels?: Readonly<Record<string, string>> }; readonly spec: Pod }
  readonly selector?: Labelled & Readonly<Record<string, unknown>>
  readonly replicas?: number
  readonly serviceName?: string
  readonly clusterIP?: string
  readonly ports?: readonly { readonly name: string; readonly port: number; readonly targetPort: string }[]
  readonly scaleTargetRef?: { readonly kind: string; readonly name: string }
  readonly minReplicas?: number
  readonly maxReplicas?: number
  readonly maxUnavailable?: number
  readonly ttlSecondsAfterFinished?: number
  readonly tls?: readonly { readonly hosts: readonly string[] }[]
  readonly rules?: readonly IngressRule[]
}
interface IngressRule {
  readonly host: string
  readonly http: {
    readonly paths: readonly { readonly backend: { readonly service: { name: string; port: { name: string } } } }[]
  }
}
export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Record<string, string> }
  readonly data?: Readonly<Record<string, string>>
  readonly spec?: Spec
}

export const root = resolve(import.meta.dirname, '..')
export const overlays = ['dev', 'qa', 'prod'] as const

/** Renders a folder of k8s. Throws without kubectl: a policy that is not checked must not look like one that holds. */
export function renderManifests(folder: string): readonly Manifest[] {
  return renderedFrom(join(root, 'k8s', folder))
}

/** Renders a folder anywhere. */
export function renderedFrom(folder: string): readonly Manifest[] {
  return documentsIn(kustomize(folder))
}

/** Renders an overlay as the release `image`, with `job` in the name of its Job: the two lines of k8s/release. */
export function renderedAs(overlay: string, image: string, job: string): readonly Manifest[] {
  const copy = mkdtempSync(join(tmpdir(), 'k8s-'))
  try {
    cpSync(join(root, 'k8s'), copy, { recursive: true })
    const file = join(copy, 'release/kustomization.yaml')
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, text.replace(/- image=.*/, `- image=${image}`).replace(/- job=.*/, `- job=${job}`))
    return documentsIn(kustomize(join(copy, 'overlays', overlay)))
  } finally {
    rmSync(copy, { recursive: true })
  }
}

/** Renders an overlay together with optional components. */
export function renderedWith(overlay: string, components: readonly string[]): readonly Manifest[] {
  mkdirSync(join(root, '.data', 'test'), { recursive: true })
  const folder = mkdtempSync(join(root, '.data', 'test', 'k8s-'))
  const from = (path: string) => relative(folder, join(root, 'k8s', path))
  try {
    const chosen = components.map((name) => from(`components/${name}`))
    const kustomization = {
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      resources: [from(`overlays/${overlay}`)],
      components: chosen,
    }
    writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization))
    return documentsIn(kustomize(folder))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The pod of a workload. */
export function readPod({ metadata, spec }: Manifest): Pod {
  if (spec?.template === undefined) throw new Error(`${metadata.name} has no pods`)
  return spec.template.spec
}

export const isProcess = ({ kind }: Manifest) => kind === 'Deployment' || kind === 'StatefulSet'
export const isWorkload = (manifest: Manifest) => isProcess(manifest) || manifest.kind === 'Job'

function documentsIn(text: string): readonly Manifest[] {
  return parseAllDocuments(text).map((one) => one.toJS() as Manifest)
}

function kustomize(folder: string): string {
  try {
    return execFileSync('kubectl', ['kustomize', folder], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new Error('The tests of k8s render the manifests with kubectl 1.27 or later. Install kubectl.', {
      cause: error,
    })
  }
}
