// The trial of a mapping: what its draft makes of the messages that have come, and of one that is typed; and its versions.
import { useQuery } from '@tanstack/react-query'
import { readDevice } from '@voltkeep/contract/devices'
import {
  activateMapping,
  listMappings,
  type MappingOutcome,
  type MappingRow,
  readMapping,
  replayMapping,
  tryMapping,
} from '@voltkeep/contract/mappings'
import { Button, Input, Modal, Segmented } from 'antd'
import { useState } from 'react'
import { type AnswerFor, call } from '../../lib/wire/call.ts'
import { reading } from '../../lib/wire/reading.ts'
import { useWriting } from '../../lib/wire/writing.ts'
import { codeOf, Permitted } from '../../ui/Permitted.tsx'
import { Waiting } from '../../ui/Waiting.tsx'
import styles from './mappings.module.css'
import { mappingTexts } from './mappings.texts.ts'
import { encodingFor, reportName, saidOf } from './mappings.words.ts'

const { fields, trial } = mappingTexts

const stale = [listMappings, readMapping, replayMapping, readDevice]

export default function TrialDialog({ mapping, onClose }: { mapping: MappingRow; onClose: () => void }) {
  const detail = useQuery(reading(readMapping, { id: mapping.id }))
  const replay = useQuery(reading(replayMapping, { id: mapping.id }))
  const activating = useWriting(activateMapping, stale)
  const activate = (no?: number) =>
    activating.mutate({ id: mapping.id, version: detail.data?.version, ...(no !== undefined && { no }) })
  return (
    <Modal
      open
      width={960}
      title={trial.title(mapping.name)}
      onCancel={onClose}
      footer={
        <Permitted code={codeOf(activateMapping.access)}>
          <Button
            type="primary"
            loading={activating.isPending}
            disabled={detail.data?.isChanged !== true}
            onClick={() => activate()}
          >
            {trial.activate}
          </Button>
        </Permitted>
      }
    >
      <OneMessage topic={mapping.topic} document={detail.data?.document} />
      <h4>{trial.kept}</h4>
      {detail.isError && <p className={styles.fault}>{detail.error.message}</p>}
      {replay.isError && <p className={styles.fault}>{replay.error.message}</p>}
      {replay.isPending && <Waiting />}
      {replay.data && <Replayed replay={replay.data} />}
      {detail.data && detail.data.versions.length > 0 && (
        <>
          <h4>{trial.versions}</h4>
          <ul className={styles.versions}>
            {detail.data.versions.map(({ no, note, createBy, createTime }) => (
              <li key={no}>
                <span>
                  v{no} · {createBy} · {createTime}
                  {note === null ? '' : ` · ${note}`}
                </span>
                {no !== detail.data.activeNo && (
                  <Permitted code={codeOf(activateMapping.access)}>
                    <Button type="link" size="small" onClick={() => activate(no)}>
                      {trial.activateEarlier}
                    </Button>
                  </Permitted>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </Modal>
  )
}

function Replayed({
  replay: { total, mapped, lost, gained, rows },
}: {
  replay: AnswerFor<typeof replayMapping>
}) {
  if (total === 0) return <p className={styles.muted}>{trial.none}</p>
  return (
    <>
      <p className={styles.muted}>
        {[trial.replay(mapped, total), lost > 0 && trial.lost(lost), gained > 0 && trial.gained(gained)]
          .filter(Boolean)
          .join('，')}
      </p>
      <ul className={`${styles.messages} ${styles.replayed}`}>
        {rows.map(({ id, equipCode, topic, payload, detail, receiveTime, result }) => (
          <li key={id}>
            <div>
              <p className={styles.muted}>
                {equipCode} · {topic} · {receiveTime}
              </p>
              <pre>{payload}</pre>
              {detail !== null && <p className={styles.muted}>{trial.refusedThen(detail)}</p>}
            </div>
            <Becomes outcome={result} />
          </li>
        ))}
      </ul>
    </>
  )
}

function Becomes({ outcome: { isMapped, isForeign, reports, faults, notes } }: { outcome: MappingOutcome }) {
  return (
    <div>
      {isForeign && <p className={styles.fault}>{trial.foreign}</p>}
      {isMapped && reports.length === 0 && faults.length === 0 && (
        <p className={styles.muted}>{trial.ignored}</p>
      )}
      {reports.map(({ target, payload }, at) => {
        const { time, said } = saidOf(payload)
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the reports of one message have no other name
          <div key={at}>
            <p className={styles.becomes}>
              <b>{reportName(target)}</b> <span className={styles.muted}>{time}</span>
            </p>
            <pre>{said}</pre>
          </div>
        )
      })}
      {faults.map((fault) => (
        <p key={fault} className={styles.fault}>
          {fault}
        </p>
      ))}
      {notes.map((note) => (
        <p key={note} className={styles.note}>
          {note}
        </p>
      ))}
    </div>
  )
}

function OneMessage({
  topic: pattern,
  document,
}: {
  topic: string
  document: AnswerFor<typeof readMapping>['document'] | undefined
}) {
  const [topic, setTopic] = useState(pattern.replace('{code}', 'EC0001'))
  const [payload, setPayload] = useState('')
  const [chosen, setEncoding] = useState<'text' | 'hex'>()
  // The document comes after the dialog.
  const encoding = chosen ?? encodingFor(document)
  const [outcome, setOutcome] = useState<AnswerFor<typeof tryMapping> | { problem: string }>()
  const run = async () => {
    if (!document) return
    try {
      setOutcome(await call(tryMapping, { mapping: document, topic, payload, encoding }))
    } catch (error) {
      setOutcome({ problem: error instanceof Error ? error.message : trial.unread })
    }
  }
  return (
    <>
      <h4>{trial.own}</h4>
      <div className={styles.own}>
        <Input aria-label={fields.topic} value={topic} onChange={(event) => setTopic(event.target.value)} />
        <Segmented
          aria-label={fields.encoding}
          value={encoding}
          options={[
            { value: 'text', label: trial.text },
            { value: 'hex', label: trial.hex },
          ]}
          onChange={setEncoding}
        />
        <Button disabled={!document || topic === ''} onClick={() => void run()}>
          {trial.run}
        </Button>
      </div>
      <Input.TextArea
        aria-label={fields.payload}
        className="mono"
        value={payload}
        autoSize={{ minRows: 3, maxRows: 10 }}
        spellCheck={false}
        onChange={(event) => setPayload(event.target.value)}
      />
      {outcome && 'problem' in outcome && <p className={styles.fault}>{outcome.problem}</p>}
      {outcome && !('problem' in outcome) && (
        <section aria-label={trial.becomes} className={styles.messages}>
          <h4>{trial.becomes}</h4>
          <Becomes outcome={outcome} />
          {outcome.problems.map((problem) => (
            <p key={problem} className={styles.fault}>
              {problem}
            </p>
          ))}
          {outcome.unused.length > 0 && (
            <p className={styles.muted}>{trial.unused(outcome.unused.join('、'))}</p>
          )}
        </section>
      )}
    </>
  )
}
