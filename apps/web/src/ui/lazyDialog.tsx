// A dialog whose code is loaded when it is first opened. Until then its frame is shown, so that a press has an effect
// at once on a slow connection too. Mount it to open it: `{isOpen && <XDialog onClose=… />}`.
//
// Not React's `lazy`: once a fallback is shown, React keeps it for 300 ms, however soon the code comes.
import { CloseOutlined } from '@ant-design/icons'
import { type ComponentType, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { texts } from '../lib/texts/index.ts'
import { IconButton } from './buttons/IconButton.tsx'
import { NotLoaded } from './late.tsx'
import styles from './lazyDialog.module.css'
import { Waiting } from './Waiting.tsx'

/** A shorter wait is not noticed: its frame would only flash. */
const unnoticedMs = 100

interface DialogProps {
  onClose: () => void
  /** Neither Esc nor a button closes it. */
  isForced?: boolean
}

interface Options {
  /** As the property, for a dialog that is always so: what it is opened with would be lost. */
  isForced?: boolean
  /** Where the dialog will stand; on a phone a centred one is the whole screen. */
  place?: 'centre' | 'bottom'
}

interface Code<P> {
  load: () => Promise<{ default: ComponentType<P> }>
  /** Once it has been loaded. */
  Dialog?: ComponentType<P>
}

export function lazyDialog<P extends DialogProps>(
  load: () => Promise<{ default: ComponentType<P> }>,
  options: Options = {},
): ComponentType<P> {
  const code: Code<P> = { load }
  return (props) => <WithCode code={code} options={options} props={props} />
}

function WithCode<P extends DialogProps>({
  code,
  options: { isForced = false, place = 'centre' },
  props,
}: {
  code: Code<P>
  options: Options
  props: P
}) {
  const [Dialog, setDialog] = useState(() => code.Dialog)
  const [hasFailed, setFailed] = useState(false)
  useEffect(() => {
    if (code.Dialog) return
    const keep = (Loaded: ComponentType<P>) => {
      code.Dialog = Loaded
      setDialog(() => Loaded)
    }
    code.load().then(
      (loaded) => keep(loaded.default),
      () => setFailed(true),
    )
  }, [code])
  if (Dialog) return <Dialog {...props} />
  return (
    <Frame
      place={place}
      onClose={isForced || props.isForced ? undefined : props.onClose}
      hasFailed={hasFailed}
    />
  )
}

function Frame({
  place,
  hasFailed,
  onClose,
}: {
  place: 'centre' | 'bottom'
  hasFailed: boolean
  onClose: (() => void) | undefined
}) {
  const [isNoticed, setNoticed] = useState(false)
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const timer = setTimeout(() => setNoticed(true), unnoticedMs)
    return () => clearTimeout(timer)
  }, [])
  useLayoutEffect(() => {
    const element = dialog.current
    if (!isNoticed || !element) return
    element.showModal()
    // This returns the focus to the button, before the dialog that follows looks for it.
    return () => element.close()
  }, [isNoticed])
  if (!isNoticed) return null
  return createPortal(
    <dialog
      ref={dialog}
      className={styles.frame}
      data-place={place}
      aria-label={texts.list.loading}
      onCancel={(event) => {
        event.preventDefault()
        onClose?.()
      }}
    >
      <div className={styles.head}>
        {onClose && (
          <IconButton label={texts.close} onClick={onClose}>
            <CloseOutlined />
          </IconButton>
        )}
      </div>
      {hasFailed ? <NotLoaded /> : <Waiting />}
    </dialog>,
    document.body,
  )
}
