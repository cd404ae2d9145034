import type { Contract, Endpoint } from '@payments/contracts/grammar/contract'

/**
 * A route of the gateway, created from a contract. Internal endpoints have no route. The table compares segments byte
 * for byte, without decoding, case folding or dot segments. So the gateway and the service cannot read a path
 * differently.
 */
export interface Route {
  readonly service: string
  readonly operation: string
  readonly endpoint: Endpoint
}

export type Match =
  | { readonly kind: 'route'; readonly route: Route }
  /** An endpoint has the path, but not the method. */
  | { readonly kind: 'other_method'; readonly allowed: readonly string[] }

export interface RouteTable {
  /** A HEAD has the route of the GET of its path (RFC 9110, 9.3.2). */
  match(method: string, path: string): Match | undefined
}

interface Node {
  readonly literals: Map<string, Node>
  parameter: Node | undefined
  readonly routes: Map<string, Route>
}

const segmentsMax = 16

export function createRouteTable(contracts: readonly Contract[]): RouteTable {
  const root = emptyNode()
  for (const { service, endpoints } of contracts) {
    for (const [operation, endpoint] of Object.entries(endpoints)) {
      if (endpoint.audience === 'internal') continue
      if (endpoint.page === undefined && !endpoint.path.startsWith(`/v1/${service}/`)) {
        throw new Error(`${service}.${operation}: ${endpoint.path} is not below /v1/${service}/`)
      }
      if (endpoint.page !== undefined && endpoint.path.startsWith('/v1/')) {
        throw new Error(`${service}.${operation}: ${endpoint.path} is a page below /v1/`)
      }
      add(root, endpoint.path.split('/').slice(1), { service, operation, endpoint })
    }
  }
  return {
    match(requestMethod, path) {
      const method = requestMethod === 'HEAD' ? 'GET' : requestMethod
      const segments = path.split('/', segmentsMax + 2)
      if (segments[0] !== '' || segments.length > segmentsMax) return undefined
      const node = find(root, segments, 1)
      if (node === undefined) return undefined
      const route = node.routes.get(method)
      if (route !== undefined) return { kind: 'route', route }
      return {
        kind: 'other_method',
        allowed: [...node.routes.keys()].flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : [one])),
      }
    },
  }
}

function emptyNode(): Node {
  return { literals: new Map(), parameter: undefined, routes: new Map() }
}

function add(root: Node, segments: readonly string[], route: Route): void {
  let node = root
  for (const segment of segments) {
    let next = segment.startsWith('{') ? node.parameter : node.literals.get(segment)
    if (next === undefined) {
      next = emptyNode()
      if (segment.startsWith('{')) node.parameter = next
      else node.literals.set(segment, next)
    }
    node = next
  }
  const other = node.routes.get(route.endpoint.method)
  if (other !== undefined) throw new Error(`${route.operation} and ${other.operation} have the same method and path`)
  node.routes.set(route.endpoint.method, route)
}

/**
 * Tries a literal before a parameter. A path with literals belongs to them for every method: `authorize` is no id, so a
 * template would not serve `GET /transactions/authorize` either.
 */
function find(node: Node, segments: readonly string[], at: number): Node | undefined {
  const segment = segments[at]
  if (segment === undefined) return node.routes.size > 0 ? node : undefined
  const next = node.literals.get(segment)
  const literal = next === undefined ? undefined : find(next, segments, at + 1)
  if (literal !== undefined || node.parameter === undefined || segment === '') return literal
  return find(node.parameter, segments, at + 1)
}
