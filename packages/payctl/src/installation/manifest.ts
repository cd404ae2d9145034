import { isMap, parseDocument } from 'yaml'

/** A Secret of Kubernetes. A file may have its values in `stringData`, as generated, or in `data`, as exported. */

export interface Manifest {
  readonly namespace: string
  readonly variables: Map<string, string>
}

/** Undefined: not a manifest of one Secret. */
export function readManifest(text: string): Manifest | undefined {
  const document = parseDocument(text)
  if (document.errors.length > 0 || !isMap(document.contents) || document.get('kind') !== 'Secret') return undefined
  const { metadata, data, stringData } = document.toJS() as {
    metadata?: { namespace?: string }
    data?: Record<string, string>
    stringData?: Record<string, string>
  }
  const encoded = Object.entries(data ?? {}).map(([name, value]) => [name, decode(value)] as const)
  return {
    namespace: metadata?.namespace ?? '',
    variables: new Map([...encoded, ...Object.entries(stringData ?? {})]),
  }
}

const decode = (value: string) => Buffer.from(value, 'base64').toString('utf8')

/** Adds variables to `text`, which may be empty, or replaces them. The rest stays as it is, comments included. */
export function writeManifest(
  text: string,
  identity: { readonly name: string; readonly namespace: string },
  variables: ReadonlyMap<string, string>,
): string {
  const document = parseDocument(text === '' ? emptyManifest(identity) : text)
  for (const [name, value] of variables) {
    if (document.hasIn(['data', name])) document.setIn(['data', name], Buffer.from(value).toString('base64'))
    else document.setIn(['stringData', name], value)
  }
  return document.toString({ lineWidth: 0, singleQuote: true })
}

const emptyManifest = ({ name, namespace }: { readonly name: string; readonly namespace: string }) => `apiVersion: v1
kind: Secret
metadata:
  name: ${name}
  namespace: ${namespace}
  labels: { app.kubernetes.io/part-of: payment-service }
type: Opaque
`
