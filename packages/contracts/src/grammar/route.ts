import type { Method, PageStatus, Path } from './contract.ts'
import type { Permission } from './permission.ts'

/** Method and path of an endpoint, and who may call it (`Audience`). */

/** For a credential with the permission. */
export const tenantRoute = <const M extends Method, const P extends Path, const N extends Permission>(
  method: M,
  path: P,
  permission: N,
) => ({ method, path, audience: 'tenant', permission }) as const

/** For every valid credential. */
export const authenticatedRoute = <const M extends Method, const P extends Path>(method: M, path: P) =>
  ({ method, path, audience: 'authenticated' }) as const

/** For anyone. */
export const publicRoute = <const M extends Method, const P extends Path>(method: M, path: P) =>
  ({ method, path, audience: 'public' }) as const

/** For anyone, in a browser: a page, with the statuses of its responses. */
export const pageRoute = <const M extends Method, const P extends Path, const S extends readonly PageStatus[]>(
  method: M,
  path: P,
  ...page: S
) => ({ ...publicRoute(method, path), page, replies: {} }) as const

/** For these processes of the platform, by name. */
export const internalRoute = <const M extends Method, const P extends Path, const C extends readonly string[]>(
  method: M,
  path: P,
  ...callers: C
) => ({ method, path, audience: 'internal', callers }) as const
