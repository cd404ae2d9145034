import type { BusinessUnit, PaymentOrchestrator, PaymentOrchestratorCheck } from '@payments/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { ActionButton, Actions, confirmAction, offerDialog, useDeletion } from '../../layout/actions.tsx'
import { Empty, Loaded } from '../../layout/page.tsx'
import { useAction } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { useDenial } from '../../session/self.ts'
import { foreign } from '../../text/format.ts'
import { Badge, Facts, Notice, Time } from '../../ui/content.tsx'
import { OrchestratorDialog } from './orchestrator-dialog.tsx'
import { connectorNames, methodNames, readProtocolVersion } from './orchestrator-values.ts'
import styles from './unit.module.css'

/** A unit has at most 200, deleted ones included. */
const orchestratorsMax = 200

/** The payment orchestrators of a business unit, the default first. */
export function Orchestrators({ unit }: { unit: BusinessUnit }) {
  const denial = useDenial()('listPaymentOrchestrators')
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
        <Actions
          actions={[
            offerDialog(
              'createPaymentOrchestrator',
              'Create payment orchestrator',
              (close) => <OrchestratorDialog unitId={unit.id} onClose={close} />,
              { isOffered: unit.status === 'active' },
            ),
          ]}
        />
      </div>
      {denial === undefined ? (
        <Loaded query={query}>{({ data }) => <OrchestratorCards unit={unit} orchestrators={data} />}</Loaded>
      ) : (
        <Notice tone="warning">The list {denial}.</Notice>
      )}
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
          <OrchestratorCard key={one.id} orchestrator={one} unit={unit} />
        ))}
    </div>
  )
}

function OrchestratorCard({ orchestrator, unit }: { orchestrator: PaymentOrchestrator; unit: BusinessUnit }) {
  const { name, payment_gateway: gateway, mode, status, is_default: isDefault } = orchestrator
  const { gateway_url: url, iframe_url: page, gateway_authentication_fingerprint: fingerprint } = orchestrator
  const methods =
    orchestrator.payment_methods?.map((method) => methodNames[method]).join(', ') ?? 'every payment method'
  const currencies = orchestrator.currencies?.join(', ') ?? 'every currency'
  return (
    <article className="card stack" aria-label={foreign(name)}>
      <div className="row">
        <strong>{foreign(name)}</strong>
        <Badge tone={status === 'active' ? 'good' : undefined}>{status}</Badge>
        <Badge tone={mode === 'live' ? 'warning' : undefined}>{mode}</Badge>
        {isDefault ? <Badge>default</Badge> : null}
      </div>
      <Facts
        facts={{
          'Payment provider': connectorNames[gateway],
          'Gateway URL': url === null ? null : foreign(url),
          Protocol: gateway === 'http' ? `version ${readProtocolVersion(orchestrator)}` : null,
          Credentials:
            fingerprint === null ? <span className="muted">none</span> : <code title="Fingerprint">{fingerprint}</code>,
          Accepts: `${methods} in ${currencies}`,
          'Card page': page === null ? null : <CardPage orchestrator={orchestrator} url={page} />,
        }}
      />
      <Check orchestrator={orchestrator}>
        {unit.status === 'active' ? <OrchestratorActions orchestrator={orchestrator} /> : null}
      </Check>
    </article>
  )
}

function CardPage({ orchestrator, url }: { orchestrator: PaymentOrchestrator; url: string }) {
  if (orchestrator.card_page_trusted === true) return foreign(url)
  return (
    <>
      {foreign(url)}
      <small> Named as foreign to payers: the operator of the platform does not list its origin.</small>
    </>
  )
}

/** Calls the payment provider without an effect, and shows the result below the actions. */
function Check({ orchestrator, children }: { orchestrator: PaymentOrchestrator; children: ReactNode }) {
  const [result, setResult] = useState<PaymentOrchestratorCheck>()
  const check = useAction({
    call: () =>
      api.checkPaymentOrchestrator({
        business_unit_id: orchestrator.business_unit_id,
        payment_orchestrator_id: orchestrator.id,
      }),
    onSuccess: setResult,
  })
  return (
    <>
      <div className="row">
        <ActionButton operation="checkPaymentOrchestrator" onClick={() => check.run()}>
          {check.isRunning ? 'Checking …' : 'Check'}
        </ActionButton>
        {children}
      </div>
      {check.failure === undefined ? null : <Notice tone="bad">{check.failure}</Notice>}
      {result === undefined || check.isRunning ? null : (
        <Notice tone={result.ok ? 'good' : 'bad'}>
          {result.detail}{' '}
          <small>
            <Time at={result.checked_at} />
          </small>
        </Notice>
      )}
    </>
  )
}

/** Edits, makes the default, and deletes. */
function OrchestratorActions({ orchestrator }: { orchestrator: PaymentOrchestrator }) {
  const { id, name, business_unit_id: unitId, is_default: isDefault, status } = orchestrator
  const address = { business_unit_id: unitId, payment_orchestrator_id: id }
  const deletion = useDeletion({
    operation: 'deletePaymentOrchestrator',
    noun: 'payment orchestrator',
    name,
    call: () => api.deletePaymentOrchestrator(address),
    effect: `It takes no payments afterwards, and its active invitations to pay are canceled. Its transactions can still be captured, voided and refunded.${
      isDefault ? ' Without a default, payments have to name a payment orchestrator.' : ''
    }`,
  })
  return (
    <Actions
      actions={[
        offerDialog('updatePaymentOrchestrator', 'Edit', (close) => (
          <OrchestratorDialog unitId={unitId} orchestrator={orchestrator} onClose={close} />
        )),
        confirmAction({
          operation: 'updatePaymentOrchestrator',
          label: 'Make default',
          isOffered: !isDefault && status === 'active',
          title: 'Make this the default?',
          isHarmless: true,
          call: () => api.updatePaymentOrchestrator({ ...address, body: { is_default: true } }),
          effect: 'Payments that name no payment orchestrator use it from then on.',
        }),
        deletion,
      ]}
    />
  )
}
