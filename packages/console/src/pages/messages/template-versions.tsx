import type { Template, TemplateVersion } from '@payments/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { Loaded } from '../../layout/page.tsx'
import { api } from '../../session/api.ts'
import { foreign, formatQuantity, toMinute } from '../../text/format.ts'
import { type DiffLine, lineDiff, selectExcerpts } from '../../text/line-diff.ts'
import { Select } from '../../ui/fields.tsx'
import styles from './diff.module.css'

/** A template keeps no more. */
const versionsMax = 100

/** Two versions of a template, line by line. The URL has which; by default the last two. */
export function TemplateVersions({ template }: { template: Template }) {
  const query = useQuery({
    queryKey: ['templates', template.id, 'versions', template.version],
    queryFn: ({ signal }) =>
      api.listTemplateVersions({ template_id: template.id, limit: versionsMax }, { signal }).page(),
  })
  return (
    <Loaded query={query}>
      {({ data: versions }) =>
        versions.length < 2 ? (
          <p className="muted">The template has one version. Each change makes another.</p>
        ) : (
          <Comparison templateId={template.id} versions={versions} />
        )
      }
    </Loaded>
  )
}

function Comparison({ templateId, versions }: { templateId: string; versions: readonly TemplateVersion[] }) {
  const search = useSearch({ strict: false }) as { from?: string; to?: string }
  const navigate = useNavigate()
  const findVersion = (text: string | undefined, otherwise: number) =>
    versions.find(({ version }) => String(version) === text) ?? (versions[otherwise] as TemplateVersion)
  const [before, after] = [findVersion(search.from, 1), findVersion(search.to, 0)]
  const options = versions.map(({ version, created_at }) => ({
    value: String(version),
    label: `Version ${version}, ${toMinute(new Date(created_at))}`,
  }))
  const change = (part: Record<string, string>) =>
    void navigate({
      to: '/templates/$template_id',
      params: { template_id: templateId },
      search: { from: String(before.version), to: String(after.version), ...part },
      replace: true,
      resetScroll: false,
    })
  return (
    <>
      <div className={styles.versions}>
        <Select
          aria-label="Earlier version"
          value={String(before.version)}
          options={options}
          onChange={(from) => change({ from })}
        />
        <Select
          aria-label="Later version"
          value={String(after.version)}
          options={options}
          onChange={(to) => change({ to })}
        />
      </div>
      <Differences before={before} after={after} />
    </>
  )
}

const parts = [
  ['Name', ({ name }: TemplateVersion) => name],
  ['Language', ({ locale }: TemplateVersion) => locale ?? 'any'],
  ['Subject', ({ subject }: TemplateVersion) => subject ?? ''],
  ['Text', ({ text }: TemplateVersion) => text],
  ['HTML', ({ html }: TemplateVersion) => html ?? ''],
  ['Variables', ({ variables }: TemplateVersion) => variables.map(formatVariable).join('\n')],
] as const

const formatVariable = ({ name, required, description }: TemplateVersion['variables'][number]) =>
  `${name}, ${required ? 'required' : 'optional'}${description === '' ? '' : `: ${description}`}`

function Differences({ before, after }: { before: TemplateVersion; after: TemplateVersion }) {
  const changed = parts.filter(([, partText]) => partText(before) !== partText(after))
  if (changed.length === 0) return <p className="muted">The two versions are the same.</p>
  return changed.map(([label, partText]) => (
    <TextDiff key={label} label={label} before={partText(before)} after={partText(after)} />
  ))
}

/** The changed lines of a text. It scrolls, also by keyboard. */
function TextDiff({ label, before, after }: { label: string; before: string; after: string }) {
  const parts = useMemo(() => selectExcerpts(lineDiff(before, after)), [before, after])
  return (
    <div className="stack">
      <h3>{label}</h3>
      <div className={styles.diff} tabIndex={0} role="region" aria-label={`Changes of ${label}`}>
        {parts.flatMap(({ skipped, lines }, part) => [
          ...(skipped === 0
            ? []
            : [
                <div key={`skipped-${part}`} className={styles.skipped}>
                  {formatQuantity(skipped, 'unchanged line')}
                </div>,
              ]),
          ...lines.map((line, index) => <Line key={`${part}-${index}`} line={line} />),
        ])}
      </div>
    </div>
  )
}

const signs = { same: ' ', removed: '−', added: '+' } as const
const names = { same: '', removed: 'removed', added: 'added' } as const

function Line({ line: { kind, text } }: { line: DiffLine }) {
  return (
    <div data-kind={kind}>
      <span aria-hidden="true">{signs[kind]} </span>
      {kind === 'same' ? null : <span className="visually-hidden">{names[kind]} </span>}
      {foreign(text)}
    </div>
  )
}
