import type { AuditProducer } from '@payments/contracts/edges/audit-line'
import { z } from 'zod'
import { json } from '../base/config.ts'
import { assertionKeys } from './assertion.ts'

/** Variables of every process that publishes audit records. */
export const auditProducerConfig = {
  AUDIT_MESSAGE_KEY: json(assertionKeys)
    .transform((keys, context): AuditProducer => {
      const [entry, ...others] = keys
      if (entry !== undefined && others.length === 0) return { name: entry[0], key: entry[1] }
      context.addIssue({ code: 'custom', message: 'must name exactly one producer' })
      return z.NEVER
    })
    .describe('Key that signs the audit messages of this process. JSON: {producer: base64 key of 32 bytes}'),
}
