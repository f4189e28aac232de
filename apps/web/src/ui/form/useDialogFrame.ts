import { narrowQuery, useMedia } from '../../lib/browser/media.ts'
import styles from './useDialogFrame.module.css'

/**
 * antd's props of a dialog that is filled in: on a phone it is the whole screen, elsewhere it is centred and as wide as
 * it says. Its title and its buttons stay in sight, what is between them scrolls.
 */
export function useDialogFrame(width: number) {
  const isNarrow = useMedia(narrowQuery)
  return {
    width: isNarrow ? '100%' : width,
    rootClassName: (isNarrow ? styles.fullScreen : styles.framed) ?? '',
    centered: !isNarrow,
  }
}
