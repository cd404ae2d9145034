import { Notice } from '../../ui/notice.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { type FieldsProps, methodNames, type OrchestratorValues } from './orchestrator-values.ts'

const methods = Object.keys(methodNames) as OrchestratorValues['methods']

/** The payment methods and the currencies that a payment orchestrator accepts. */
export function AcceptFields({ values, onChange, failureOf }: FieldsProps) {
  const error = failureOf('/payment_methods')
  return (
    <>
      <fieldset className="boxes">
        <legend>Payment methods</legend>
        {methods.map((method) => (
          <label key={method} className="row">
            <input
              type="checkbox"
              checked={values.methods.includes(method)}
              onChange={({ target }) =>
                onChange({
                  methods: methods.filter((each) => (each === method ? target.checked : values.methods.includes(each))),
                })
              }
            />
            {methodNames[method]}
          </label>
        ))}
        <small>None chosen: every payment method.</small>
        {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
      </fieldset>
      <TextField
        label="Currencies"
        hint="Such as EUR, USD. Empty: every currency."
        value={values.currencies}
        onChange={(currencies) => onChange({ currencies })}
        error={failureOf('/currencies')}
      />
    </>
  )
}
