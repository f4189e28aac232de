import { Alert, Button } from 'antd'
import { useState } from 'react'
import { notify } from '../../lib/notices.ts'
import { texts } from '../../lib/texts/index.ts'
import { CallError } from '../../lib/wire/call.ts'

/** Tells that somebody else saved first, and offers to load the saved values in place of the typed ones. */
export function ConflictAlert({ onLoad }: { onLoad: () => Promise<void> }) {
  const [isLoading, setLoading] = useState(false)
  const load = async () => {
    setLoading(true)
    try {
      await onLoad()
    } catch (error) {
      if (!(error instanceof CallError)) throw error
      if (!error.isSessionEnd) notify.error(error.message)
    } finally {
      setLoading(false)
    }
  }
  return (
    <Alert
      type="warning"
      showIcon
      role="alert"
      style={{ marginBottom: 16 }}
      title={texts.conflict.title}
      description={texts.conflict.kept}
      action={
        <Button size="small" loading={isLoading} onClick={() => void load()}>
          {texts.conflict.load}
        </Button>
      }
    />
  )
}
