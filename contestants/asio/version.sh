echo '#include <boost/version.hpp>
BOOST_LIB_VERSION' | c++ -x c++ -E - | tail -n 1
