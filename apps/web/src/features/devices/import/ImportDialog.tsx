// Imports devices from a spreadsheet: a dry run lists every problem, then all rows are written at once and their
// secrets are downloaded. Both continue while the dialog is closed; a finished dry run is shown when it is opened
// again.
import { DownloadOutlined } from '@ant-design/icons'
import { useQueryClient } from '@tanstack/react-query'
import {
  type ImportProblem,
  type ImportReport,
  importDevices,
  importRowLimit,
  readImportTemplate,
} from '@voltkeep/contract/deviceImport'
import { listDevices } from '@voltkeep/contract/devices'
import { listTasks } from '@voltkeep/contract/tasks'
import { Button, Modal } from 'antd'
import { useEffect, useState } from 'react'
import { formatBytes, formatCount } from '../../../lib/format.ts'
import { guardLeaving } from '../../../lib/leaving.ts'
import { useStore } from '../../../lib/store.ts'
import { texts } from '../../../lib/texts/index.ts'
import type { CallError, FileAnswer } from '../../../lib/wire/call.ts'
import { saveFile, useDownload } from '../../../lib/wire/download.ts'
import { keyOf } from '../../../lib/wire/reading.ts'
import { attendUpload, beginUpload, type Upload, uploadKeyOf, uploads } from '../../../lib/wire/uploads.ts'
import { useWriting } from '../../../lib/wire/writing.ts'
import { FileDrop } from '../../../ui/form/FileDrop.tsx'
import { useDialogFrame } from '../../../ui/form/useDialogFrame.ts'
import { useFirstFocus } from '../../../ui/form/useFirstFocus.ts'
import styles from '../devices.module.css'
import { deviceTexts } from '../devices.texts.ts'
import { ImportProblems } from './ImportProblems.tsx'

const words = deviceTexts.importing
const width = 720

type Step =
  /** `refusal`: why the whole file was refused, where it could not be checked. */
  | { name: 'choose'; refusal?: string }
  | { name: 'checked'; file: File; report: ImportReport }
  | { name: 'writing'; file: File; report: ImportReport }
  | { name: 'refused'; problems: readonly ImportProblem[] }
  | { name: 'done'; count: number; result: FileAnswer }

/** The input of a dry run: the file is checked and nothing is written. */
const trial = { dryRun: 1 } as const
const trialKey = uploadKeyOf(importDevices, trial)

export default function ImportDialog({ onClose }: { onClose: () => void }) {
  const [isOpen, setOpen] = useState(true)
  const frame = useDialogFrame(width)
  const { attach, dialog } = useFirstFocus(onClose)
  const [step, setStep] = useState<Step>({ name: 'choose' })
  const client = useQueryClient()
  const template = useDownload(readImportTemplate)
  const checking = useStore(uploads).find(({ key }) => key === trialKey)
  useEffect(() => attendUpload(trialKey), [])
  useEffect(() => {
    if (!checking || checking.step.name === 'sending') return
    const { file, step: tried } = checking
    checking.cancel()
    if (tried.name === 'kept') setStep({ name: 'checked', file, report: tried.answer as ImportReport })
    // Shown in the dialog, so that it stays until the file is corrected.
    else setStep({ name: 'choose', refusal: tried.message })
  }, [checking])
  const writing = useWriting(importDevices, [listDevices], {
    said: false,
    // Rows that passed the dry run may fail now.
    claim: (error) => {
      const problems = problemsOf(error)
      if (problems.length > 0) setStep({ name: 'refused', problems })
      return problems.length > 0
    },
  })
  const isWriting = step.name === 'writing'
  const isBusy = isWriting || checking !== undefined

  const check = (file: File) => {
    setStep({ name: 'choose' })
    beginUpload(importDevices, trial, file)
  }
  const write = ({ file, report }: { file: File; report: ImportReport }) => {
    setStep({ name: 'writing', file, report })
    // The import continues after the dialog is closed. Only this page receives the file with the secrets, hence the
    // warning on leaving.
    guardLeaving(writing.mutateAsync({ file })).then(
      (answer) => {
        const result = answer as FileAnswer
        saveFile(result)
        setStep({ name: 'done', count: report.rowCount, result })
      },
      (error: CallError) => {
        if (problemsOf(error).length === 0) setStep({ name: 'checked', file, report })
      },
    )
  }
  /** The dialog may be closed meanwhile: the list of tasks shows the import. */
  const leave = () => {
    setOpen(false)
    if (isWriting) void client.invalidateQueries({ queryKey: keyOf(listTasks) })
  }
  const canWrite = !checking && step.name === 'checked' && step.report.problems.length === 0

  return (
    <Modal
      open={isOpen}
      title={words.title}
      {...frame}
      {...dialog}
      keyboard={!isBusy && step.name !== 'done'}
      mask={{ closable: false }}
      onCancel={leave}
      footer={
        step.name === 'done' ? (
          <>
            <Button onClick={() => saveFile(step.result)}>{words.saveAgain}</Button>
            <Button type="primary" onClick={() => setOpen(false)}>
              {words.finish}
            </Button>
          </>
        ) : (
          <>
            <Button onClick={leave}>{isBusy ? texts.toBackground : texts.cancel}</Button>
            <Button
              type="primary"
              disabled={!canWrite}
              loading={isWriting}
              onClick={() => step.name === 'checked' && write(step)}
            >
              {canWrite ? words.go(formatCount(step.report.rowCount)) : words.action}
            </Button>
          </>
        )
      }
    >
      {step.name === 'done' ? (
        <div role="status">
          <p className={styles.right}>{words.done(formatCount(step.count))}</p>
          <p className={styles.once}>{words.secrets}</p>
        </div>
      ) : (
        <>
          <div className={styles.importHint}>
            <p>{words.hint}</p>
            <Button
              icon={<DownloadOutlined />}
              loading={template.isPending}
              onClick={() => template.mutate({})}
            >
              {words.template}
            </Button>
          </div>
          <div ref={attach}>
            {checking?.step.name === 'sending' ? (
              <Checking upload={checking} bytes={checking.step.bytes} />
            ) : step.name === 'writing' ? (
              <Progress what={words.writing(formatCount(step.report.rowCount))} />
            ) : (
              <FileDrop
                hasFocus
                invitation={words.drop}
                chosen={step.name === 'checked' ? step.report.fileName : undefined}
                action={step.name === 'checked' ? words.another : words.choose}
                hint={words.limits(formatCount(importRowLimit))}
                accept=".xlsx,.csv"
                onChoose={([file]) => file && check(file)}
              />
            )}
          </div>
          {step.name === 'choose' && step.refusal && (
            <p role="alert" className={styles.wrong}>
              {step.refusal}
            </p>
          )}
          {canWrite && (
            <p role="status" className={styles.right}>
              {words.allRight(formatCount(step.report.rowCount))}
            </p>
          )}
          {step.name === 'checked' && step.report.problems.length > 0 && (
            <ImportProblems
              summary={words.problems(
                formatCount(step.report.rowCount),
                formatCount(step.report.problems.length),
              )}
              problems={step.report.problems}
            />
          )}
          {step.name === 'refused' && <ImportProblems summary={words.refused} problems={step.problems} />}
        </>
      )}
    </Modal>
  )
}

/** A refused import lists each problem with its place in the sheet, in addition to the usual fields of a refusal. */
function problemsOf(error: CallError): ImportProblem[] {
  return error.problems.filter((problem): problem is ImportProblem & typeof problem => 'row' in problem)
}

/** The dry run: upload progress, then the server's check. */
function Checking({ upload: { file, cancel }, bytes }: { upload: Upload; bytes: number }) {
  const what = words.checking(file.name)
  const isSent = bytes >= file.size
  return (
    <div className={styles.progress} role="status">
      <span>{what}</span>
      <Button size="small" onClick={cancel}>
        {texts.file.cancel}
      </Button>
      <progress aria-label={what} {...(!isSent && { value: bytes, max: file.size })} />
      <span className={styles.quiet}>
        {isSent ? texts.file.checking : `${formatBytes(bytes)} / ${formatBytes(file.size)}`}
      </span>
    </div>
  )
}

function Progress({ what }: { what: string }) {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setSeconds((past) => past + 1), 1_000)
    return () => clearInterval(timer)
  }, [])
  return (
    <div className={styles.progress} role="status">
      <span>{what}</span>
      <span className={styles.quiet} aria-hidden="true">
        {words.since(seconds)}
      </span>
      <progress aria-label={what} />
    </div>
  )
}
