import type { ReadinessCheck } from '@payments/chassis/health'
import type { Log } from '@payments/chassis/log'
import type { AuditSpool } from './audit/spool.ts'
import type { Resolver } from './authorization/resolver.ts'
import type { Limits } from './limits/limits.ts'
import type { UpstreamPermits } from './limits/upstream-permits.ts'
import type { Forwarding } from './pipeline/forward.ts'
import type { RouteTable } from './route-table.ts'

/** What comes from outside. */
export interface Deps {
  readonly routes: RouteTable
  readonly authority: Resolver
  readonly limits: Limits
  readonly forwarding: Forwarding
  /** Of each service. */
  readonly permitsOf: (service: string) => UpstreamPermits
  readonly readiness: Readonly<Record<string, ReadinessCheck>>
  readonly audit: AuditSpool
  readonly log: Log
}
