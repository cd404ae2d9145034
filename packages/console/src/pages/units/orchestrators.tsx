import type { BusinessUnit, PaymentOrchestrator } from '@payments/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Loaded } from '../../layout/loaded.tsx'
import { Empty } from '../../layout/page.tsx'
import { ActionButton } from '../../session/action-button.tsx'
import { api } from '../../session/api.ts'
import { useDenial } from '../../session/self.ts'
import { foreign } from '../../text/foreign.ts'
import { Notice } from '../../ui/notice.tsx'
import { Check } from './check.tsx'
import { OrchestratorActions } from './orchestrator-actions.tsx'
import { OrchestratorDialog } from './orchestrator-dialog.tsx'
import { connectorNames, methodNames, protocolVersionOf } from './orchestrator-values.ts'
import styles from './unit.module.css'

/** A unit has at most 200, deleted ones included. */
const orchestratorsMax = 200

/** The payment orchestrators of a business unit, the default first. */
export function Orchestrators({ unit }: { unit: BusinessUnit }) {
  const denial = useDenial()('listPaymentOrchestrators')
  const [isCreating, setCreating] = useState(false)
  const query = useQuery({
    queryKey: ['business-units', unit.id, 'orchestrators'],
    queryFn: ({ signal }) =>
      api.listPaymentOrchestrators({ business_unit_id: unit.id, limit: orchestratorsMax }, { signal }).page(),
    enabled: denial === undefined,
  })
  return (
    <section className="stack" aria-labelledby="orchestrators">
      <div className="row">
        <h2 id="orchestrators">Payment orchestrators</h2>
        {unit.status === 'active' ? (
          <ActionButton operation="createPaymentOrchestrator" onClick={() => setCreating(true)}>
            Create payment orchestrator
          </ActionButton>
        ) : null}
      </div>
      {denial === undefined ? (
        <Loaded query={query}>{({ data }) => <OrchestratorCards unit={unit} orchestrators={data} />}</Loaded>
      ) : (
        <Notice tone="warning">The list {denial}.</Notice>
      )}
      {isCreating ? <OrchestratorDialog unitId={unit.id} onClose={() => setCreating(false)} /> : null}
    </section>
  )
}

interface OrchestratorCardsProps {
  readonly unit: BusinessUnit
  readonly orchestrators: readonly PaymentOrchestrator[]
}

/** Those that are not deleted, the default first. */
function OrchestratorCards({ unit, orchestrators }: OrchestratorCardsProps) {
  const shown = orchestrators.filter(({ status }) => status !== 'deleted')
  if (shown.length === 0) {
    return (
      <Empty title="The unit takes no payments yet.">
        <p>A payment orchestrator connects it to a payment provider. The sandbox moves no money.</p>
      </Empty>
    )
  }
  return (
    <div className={styles.orchestrators}>
      {shown
        .toSorted((a, b) => Number(b.is_default) - Number(a.is_default))
        .map((one) => (
          <OrchestratorCard key={one.id} orchestrator={one} isUnitActive={unit.status === 'active'} />
        ))}
    </div>
  )
}

interface OrchestratorCardProps {
  readonly orchestrator: PaymentOrchestrator
  readonly isUnitActive: boolean
}

function OrchestratorCard({ orchestrator, isUnitActive }: OrchestratorCardProps) {
  const { name, payment_gateway: gateway, mode, status, is_default: isDefault } = orchestrator
  const { gateway_url: url, iframe_url: page, gateway_authentication_fingerprint: fingerprint } = orchestrator
  return (
    <article className="card stack" aria-label={foreign(name)}>
      <div className="row">
        <strong>{foreign(name)}</strong>
        <span className="badge" data-tone={status === 'active' ? 'good' : undefined}>
          {status}
        </span>
        <span className="badge" data-tone={mode === 'live' ? 'warning' : undefined}>
          {mode}
        </span>
        {isDefault ? <span className="badge">default</span> : null}
      </div>
      <dl className="facts">
        <dt>Payment provider</dt>
        <dd>{connectorNames[gateway]}</dd>
        {url === null ? null : (
          <>
            <dt>Gateway URL</dt>
            <dd>{foreign(url)}</dd>
          </>
        )}
        {gateway === 'http' ? (
          <>
            <dt>Protocol</dt>
            <dd>version {protocolVersionOf(orchestrator)}</dd>
          </>
        ) : null}
        <dt>Credentials</dt>
        <dd>
          {fingerprint === null ? <span className="muted">none</span> : <code title="Fingerprint">{fingerprint}</code>}
        </dd>
        <dt>Accepts</dt>
        <dd>
          {orchestrator.payment_methods?.map((method) => methodNames[method]).join(', ') ?? 'every payment method'} in{' '}
          {orchestrator.currencies?.join(', ') ?? 'every currency'}
        </dd>
        {page === null ? null : (
          <>
            <dt>Card page</dt>
            <dd>
              {foreign(page)}
              {orchestrator.card_page_trusted === true ? null : (
                <small> Named as foreign to payers: the operator of the platform does not list its origin.</small>
              )}
            </dd>
          </>
        )}
      </dl>
      <Check orchestrator={orchestrator}>
        {isUnitActive ? <OrchestratorActions orchestrator={orchestrator} /> : null}
      </Check>
    </article>
  )
}
