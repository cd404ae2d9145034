import type { Template } from '@payments/client/schemas'
import { offerDialog } from '../../layout/actions.tsx'
import { ListPage } from '../../layout/list.tsx'
import type { SearchField } from '../../layout/search-form.tsx'
import { UnitName, useUnitField } from '../../layout/unit.tsx'
import { TemplateLink } from '../../parts/links.tsx'
import { channelNames } from '../../parts/messages/templates.ts'
import { foreign } from '../../text/format.ts'
import { Badge, Text, Time } from '../../ui/content.tsx'
import { optionsAfter } from '../../ui/fields.tsx'
import type { Column } from '../../ui/table.tsx'
import { TemplateDialog } from './template-dialog.tsx'

/** The templates of messages: the tenant's own, and the built-in ones. */
export function TemplatesPage() {
  return (
    <ListPage
      title="Templates"
      about="Texts with variables for the messages to payers."
      operation="listTemplates"
      topic="templates"
      fields={[useUnitField(), ...fields]}
      columns={columns}
      empty="No template matches."
      hint={<p>A template of your own replaces the built-in text of an invitation.</p>}
      action={offerDialog('createTemplate', 'Create template', (close) => <TemplateDialog onClose={close} />, {
        kind: 'primary',
      })}
    />
  )
}

const fields: readonly SearchField[] = [
  { name: 'communication_type', label: 'Channel', options: optionsAfter('Every channel', channelNames) },
  { name: 'locale', label: 'Language' },
  {
    name: 'kind',
    label: 'Kind',
    options: optionsAfter('Every kind', { custom: 'Custom', built_in: 'Built-in' }),
  },
]

const columns: readonly Column<Template>[] = [
  {
    name: 'Name',
    width: 'minmax(0, 2fr)',
    cell: ({ id, name }) => <TemplateLink id={id}>{foreign(name)}</TemplateLink>,
  },
  { name: 'Channel', width: '6rem', cell: ({ communication_type }) => channelNames[communication_type] },
  { name: 'Kind', width: '7rem', cell: ({ kind }) => <Badge>{kind.replace('_', '-')}</Badge> },
  { name: 'Language', width: '6rem', cell: ({ locale }) => <Text text={locale} none="any" /> },
  { name: 'Business unit', cell: ({ business_unit_id }) => <UnitName unitId={business_unit_id} /> },
  { name: 'Version', width: '5rem', cell: ({ version }) => version },
  {
    name: 'Changed',
    width: '9rem',
    cell: ({ kind, updated_at }) => (kind === 'custom' ? <Time at={updated_at} /> : null),
  },
]
