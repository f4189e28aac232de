import { Input, Pagination } from 'antd'
import { SearchSelect } from '../../typed/SearchSelect.tsx'

// antd's controls for a list's filters and its pager: larger than the rest of a list. `Later.tsx` fetches them.

export { Input, Pagination, SearchSelect }
