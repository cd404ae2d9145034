import type { Template } from '@payments/client/schemas'
import { LocaleField } from '../../layout/fields.tsx'
import { bindTo } from '../../layout/form.tsx'
import { findInvitationTemplate, selectOwnVariables } from '../../parts/messages/templates.ts'
import { foreign, ownValue } from '../../text/format.ts'
import { SelectField, TextField } from '../../ui/fields.tsx'
import type { Draft } from './draft.ts'

type Message = Pick<
  Draft,
  'channel' | 'recipient' | 'locale' | 'payerName' | 'description' | 'templateId' | 'variables'
>

interface MessageFieldsProps {
  readonly message: Message
  readonly templates: readonly Template[]
  readonly fieldError: (pointer: string) => string | undefined
  readonly onChange: (part: Partial<Message>) => void
  /** Why the recipient cannot be changed. */
  readonly fixedRecipient?: string | undefined
}

/** The fields of the API that these fields show. */
export const messageFields = ['/recipient', '/locale', '/template_id', '/communication_details']

/** The payer, and the content of the message. */
export function MessageFields({ message, templates, fieldError, onChange, fixedRecipient }: MessageFieldsProps) {
  const isEmail = message.channel === 'EMAIL'
  /** The API rejects a missing detail that the template requires as one of its variables. */
  const detailError = (name: string) =>
    fieldError(`/communication_details/${name}`) ?? fieldError(`/communication_details/variables/${name}`)
  const bind = bindTo(message, onChange, fieldError)
  return (
    <>
      <TextField
        label={isEmail ? 'Email address' : 'Phone number'}
        hint={fixedRecipient}
        isRequired
        readOnly={fixedRecipient !== undefined}
        type={isEmail ? 'email' : 'tel'}
        placeholder={isEmail ? 'payer@example.com' : '+4930123456'}
        maxLength={320}
        {...bind('recipient')}
      />
      <LocaleField
        label="Language of the payer"
        none="that of the transaction, the browser or the business unit"
        {...bind('locale')}
      />
      <TextField label="Name of the payer" maxLength={100} {...bind('payerName')} error={detailError('payer_name')} />
      <TextField
        label="Purpose"
        hint={isEmail ? 'In the message and on the pay page.' : 'On the pay page.'}
        maxLength={200}
        {...bind('description')}
        error={detailError('description')}
      />
      <TemplateFields message={message} templates={templates} fieldError={fieldError} onChange={onChange} />
    </>
  )
}

function TemplateFields({ message, templates, fieldError, onChange }: MessageFieldsProps) {
  // The API rejects an invitation without the link.
  const hasLink = ({ variables }: Template) => variables.some(({ name }) => name === 'payment_url')
  const own = templates.filter((template) => template.kind === 'custom' && hasLink(template))
  const chosen = message.templateId === '' ? null : message.templateId
  if (own.length === 0 && chosen === null) return null
  const options = own.map(({ id, name, locale }) => ({
    value: id,
    label: locale === null ? foreign(name) : `${foreign(name)} (${locale})`,
  }))
  const isListed = chosen === null || own.some(({ id }) => id === chosen)
  return (
    <>
      <SelectField
        label="Template"
        error={fieldError('/template_id')}
        value={message.templateId}
        options={[
          { value: '', label: 'Built-in' },
          ...options,
          ...(isListed ? [] : [{ value: String(chosen), label: 'As before' }]),
        ]}
        onChange={(templateId) => onChange({ templateId, variables: {} })}
      />
      {selectOwnVariables(findInvitationTemplate(templates, chosen)).map(({ name, description, required }) => (
        <TextField
          key={name}
          label={name}
          hint={description === '' ? undefined : foreign(description)}
          error={fieldError(`/communication_details/variables/${name}`)}
          isRequired={required === true}
          maxLength={1_000}
          value={ownValue(message.variables, name) ?? ''}
          onChange={(text) => onChange({ variables: { ...message.variables, [name]: text } })}
        />
      ))}
    </>
  )
}
