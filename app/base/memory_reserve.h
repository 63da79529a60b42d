// Memory kept back for the moment in which there is none left: the program then ends in order.
#pragma once

namespace systole {

/// Keeps some memory back, for main() to call once. From now on operator new, where the system has
/// no memory, gives it free and tries again, so that what is under way can end. Where only one
/// request was too large, it is kept back again and std::bad_alloc thrown as ever. Where not even a
/// small request can be met, and where std::bad_alloc would leave a function that mustn't throw,
/// a fixed sentence goes to standard error and the process ends with exit code 1 by endProcess(),
/// without any allocation.
void keepMemoryReserve();

} // namespace systole
