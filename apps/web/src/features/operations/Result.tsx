import { CheckOutlined, StopOutlined } from '@ant-design/icons'
import type { OperationRow } from '@voltkeep/contract/operations'
import styles from './operations.module.css'
import { operationTexts } from './operations.texts.ts'

/** Succeeded or refused, as icon, word and colour. */
export function Result({ of: { isOk, code } }: { of: Pick<OperationRow, 'isOk' | 'code'> }) {
  return (
    <span className={styles.result} data-ok={isOk}>
      {isOk ? <CheckOutlined /> : <StopOutlined />}
      {isOk ? operationTexts.results[1] : operationTexts.refused(code)}
    </span>
  )
}
