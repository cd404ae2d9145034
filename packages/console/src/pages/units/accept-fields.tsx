import { CheckField, TextField } from '../../ui/fields.tsx'
import { Notice } from '../../ui/notice.tsx'
import { type FieldsProps, methodNames, type OrchestratorValues } from './orchestrator-values.ts'

const methods = Object.keys(methodNames) as OrchestratorValues['methods']

/** The payment methods and the currencies that a payment orchestrator accepts. */
export function AcceptFields({ bind }: Pick<FieldsProps, 'bind'>) {
  const { value: chosen, onChange, error } = bind('methods', '/payment_methods')
  return (
    <>
      <fieldset className="boxes">
        <legend>Payment methods</legend>
        {methods.map((method) => (
          <CheckField
            key={method}
            isChecked={chosen.includes(method)}
            onChange={(isChecked) =>
              onChange(methods.filter((each) => (each === method ? isChecked : chosen.includes(each))))
            }
          >
            {methodNames[method]}
          </CheckField>
        ))}
        <small>None chosen: every payment method.</small>
        {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
      </fieldset>
      <TextField label="Currencies" hint="Such as EUR, USD. Empty: every currency." {...bind('currencies')} />
    </>
  )
}
