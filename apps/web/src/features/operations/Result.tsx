import { CheckOutlined, StopOutlined } from '@ant-design/icons'
import type { OperationRow } from '@voltkeep/contract/operations'
import { texts } from '../../lib/texts/index.ts'
import styles from './operations.module.css'

/** Done or refused: by sign, word and colour. */
export function Result({ of: { isOk, code } }: { of: Pick<OperationRow, 'isOk' | 'code'> }) {
  return (
    <span className={styles.result} data-ok={isOk}>
      {isOk ? <CheckOutlined /> : <StopOutlined />}
      {isOk ? texts.operations.results[1] : texts.operations.refused(code)}
    </span>
  )
}
