import { useEffect, useId, useRef, useState } from 'react'
import { formatError } from '../../session/action.ts'
import { api, type Filters } from '../../session/api.ts'
import { formatCount } from '../../text/format.ts'
import { Notice } from '../../ui/content.tsx'
import { Dialog } from '../../ui/dialog.tsx'

/** Bounds the memory of the browser. */
const recordsMax = 50_000
const pageSize = 200

interface ExportState {
  readonly records: number
  readonly state: 'reading' | 'done' | 'cut' | 'failed'
  readonly error?: Error
}

/** Reads the records of the filters page by page, and hands them to the browser as a file of JSON lines. */
export function ExportDialog({ filters, onClose }: { filters: Filters; onClose: () => void }) {
  const [{ records, state, error }, setState] = useState<ExportState>({ records: 0, state: 'reading' })
  const given = useRef(filters)
  useEffect(() => {
    const end = new AbortController()
    readAll(given.current, end.signal, (read) => setState({ records: read, state: 'reading' })).then(
      ({ lines, isWhole }) => {
        if (end.signal.aborted) return
        save(lines)
        setState({ records: lines.length, state: isWhole ? 'done' : 'cut' })
      },
      (reason: unknown) => {
        if (!end.signal.aborted)
          setState(({ records: read }) => ({ records: read, state: 'failed', error: reason as Error }))
      },
    )
    return () => end.abort()
  }, [])
  return (
    <Dialog title="Export as NDJSON" onClose={onClose}>
      {state === 'reading' ? <Progress label="Records read" value={records} max={recordsMax} /> : null}
      {state === 'done' ? <Notice tone="good">Exported {formatCount(records)} records.</Notice> : null}
      {state === 'cut' ? (
        <Notice tone="warning" title={`Exported the first ${formatCount(records)} records.`}>
          The view has more. Narrow its filters, or read the rest with the API.
        </Notice>
      ) : null}
      {state === 'failed' && error !== undefined ? <Notice tone="bad">{formatError(error)}</Notice> : null}
      <div>
        <button type="button" onClick={onClose}>
          {state === 'reading' ? 'Cancel' : 'Close'}
        </button>
      </div>
    </Dialog>
  )
}

async function readAll(filters: Filters, signal: AbortSignal, onProgress: (records: number) => void) {
  const lines: string[] = []
  const args = { ...filters, limit: pageSize } as Parameters<typeof api.listRecords>[0]
  for await (const { data, next_cursor } of api.listRecords(args, { signal }).pages()) {
    for (const record of data) lines.push(`${JSON.stringify(record)}\n`)
    onProgress(lines.length)
    if (lines.length >= recordsMax) return { lines, isWhole: next_cursor === null }
  }
  return { lines, isWhole: true }
}

function save(lines: readonly string[]): void {
  const url = URL.createObjectURL(new Blob([...lines], { type: 'application/x-ndjson' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `audit-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}.ndjson`
  link.click()
  URL.revokeObjectURL(url)
}

/** How far a long action is. The native element. */
function Progress({ label, value, max }: { label: string; value: number; max: number }) {
  const id = useId()
  return (
    <div className="stack">
      <label htmlFor={id}>
        {label}: {formatCount(value)} <small>of at most {formatCount(max)}</small>
      </label>
      <progress id={id} value={value} max={max} />
    </div>
  )
}
